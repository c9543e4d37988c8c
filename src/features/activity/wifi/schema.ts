import Type, { type Static } from 'typebox';
import { interactionTypes } from '../../../shared/codes.ts';
import { Id, vital, WallClock } from '../../../shared/fields.ts';

const Text = (description: string, example: string) =>
  Type.String({ description, maxLength: 255, examples: [example] });
const hotspotName = Text('The name of the hotspot.', 'Anchor guest wifi');
const macAddress = Text('The MAC address of the device.', '9c:4e:36:aa:01:02');
const deviceType = Text('The kind of device.', 'phone');

/** An element of `wifi` in a contact write. */
export const NewWifi = Type.Object(
  {
    unit_id: Type.Optional(Id('The unit. The default is the root unit.', vital)),
    hotspot_name: Type.Optional(hotspotName),
    mac_address: Type.Optional(macAddress),
    device_type: Type.Optional(deviceType),
    interaction_type: Type.Optional(
      Type.Enum(interactionTypes, {
        ...vital,
        description: 'The kind of interaction. The default is `detected`.',
        examples: ['connected'],
      }),
    ),
    created_at: Type.Optional(WallClock('The time. The default is the time of the request.', vital)),
  },
  { title: 'WifiWrite' },
);
export type NewWifi = Static<typeof NewWifi>;

export const WifiPop = Type.Object(
  {
    id: Id('The id of the interaction.'),
    contact_id: Id('The contact.'),
    unit_id: Id('The id of the unit.'),
    unit_name: Type.String({ description: 'The name of the unit.', examples: ['The Anchor'] }),
    hotspot_name: hotspotName,
    mac_address: macAddress,
    device_type: deviceType,
    interaction_type: Type.Enum(interactionTypes, { description: 'The kind of interaction.', examples: ['connected'] }),
    created_at: WallClock('The time.'),
  },
  { title: 'WifiInteraction', description: 'A wifi interaction. Text is empty if there is no value.' },
);
export type WifiPop = Static<typeof WifiPop>;
