import Type, { type Static } from 'typebox';
import { interactionTypes } from '../../../shared/codes.ts';
import { Id, vital, WallClock } from '../../../shared/fields.ts';

const Text = (description: string, example: string) =>
  Type.String({ description, maxLength: 255, examples: [example] });
const hotspotName = Text('The hotspot.', 'Anchor guest wifi');
const macAddress = Text('The device.', '9c:4e:36:aa:01:02');
const deviceType = Text('What kind of device.', 'phone');

/** One of the contact write's `wifi`. */
export const NewWifi = Type.Object({
  unit_id: Type.Optional(Id('Where; the root unit unless given.', vital)),
  hotspot_name: Type.Optional(hotspotName),
  mac_address: Type.Optional(macAddress),
  device_type: Type.Optional(deviceType),
  interaction_type: Type.Optional(
    Type.Enum(interactionTypes, { ...vital, description: '`detected` unless given.', examples: ['connected'] }),
  ),
  created_at: Type.Optional(WallClock('When it was; the time of the request unless given.', vital)),
});
export type NewWifi = Static<typeof NewWifi>;

/** Texts are empty where nothing is known. */
export const WifiPop = Type.Object({
  id: Id('Id of the interaction'),
  contact_id: Id('Whose it is.'),
  unit_id: Id('Where.'),
  unit_name: Type.String({ examples: ['The Anchor'] }),
  hotspot_name: hotspotName,
  mac_address: macAddress,
  device_type: deviceType,
  interaction_type: Type.Enum(interactionTypes, { examples: ['connected'] }),
  created_at: WallClock('When it was.'),
});
export type WifiPop = Static<typeof WifiPop>;
