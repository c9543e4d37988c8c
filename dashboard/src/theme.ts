import {
  alpha,
  type CSSVariablesResolver,
  createTheme,
  localStorageColorSchemeManager,
  type MantineColorsTuple,
} from '@mantine/core';

/** The accent colour. In every colour, shade 7 is readable under white text, and shade 4 on the dark background. */
const accent: MantineColorsTuple = [
  '#f0f2fd',
  '#e0e4fa',
  '#c3cbf5',
  '#a3aff0',
  '#8b9aec',
  '#6d7ee3',
  '#5868d8',
  '#4656c9',
  '#3945a6',
  '#2c3683',
];
const red: MantineColorsTuple = [
  '#fdf0f0',
  '#fbe1e1',
  '#f6bfbf',
  '#f39b9b',
  '#f08080',
  '#e35d5d',
  '#d54545',
  '#c13030',
  '#a02626',
  '#7f1d1d',
];
const green: MantineColorsTuple = [
  '#edf8f2',
  '#d9f0e3',
  '#b1e0c6',
  '#82cda5',
  '#5dbd8a',
  '#3aa86f',
  '#25905a',
  '#1a7a4a',
  '#14633c',
  '#0f4d2f',
];
const yellow: MantineColorsTuple = [
  '#fef8e7',
  '#fcefca',
  '#f8de95',
  '#f3cb5f',
  '#e9b738',
  '#d49f1e',
  '#b48211',
  '#8f650b',
  '#725008',
  '#583d06',
];
const dark: MantineColorsTuple = [
  '#e6e7ea',
  '#c4c7cd',
  '#a2a6af',
  '#8d919b',
  '#33363c',
  '#26282d',
  '#1c1d21',
  '#131417',
  '#0d0e10',
  '#08090a',
];

export const theme = createTheme({
  primaryColor: 'accent',
  colors: { accent, red, green, yellow, dark },
  primaryShade: { light: 7, dark: 7 },
  autoContrast: true,
  // White text on a darker colour than this has a contrast of at least 4.5, black text on a lighter one.
  luminanceThreshold: 0.18,
  black: '#1b1d21',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.5' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.25rem', lineHeight: '1.4' },
      h2: { fontSize: '0.9375rem', lineHeight: '1.4' },
      h3: { fontSize: '0.875rem', lineHeight: '1.4' },
    },
  },
  defaultRadius: 'sm',
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '12px', xl: '16px' },
  respectReducedMotion: true,
  components: {
    Alert: { defaultProps: { variant: 'light', p: 'sm' } },
    Badge: { defaultProps: { variant: 'light', size: 'sm', tt: 'none', fw: 500, radius: 'xl' } },
    // Render the options only when they are opened. Hundreds of hidden options slow the page down.
    Combobox: { defaultProps: { withinPortal: false, keepMounted: false } },
    Code: { defaultProps: { fz: 'sm' } },
    Drawer: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    // Fields are required unless their label ends with "(optional)".
    InputWrapper: { defaultProps: { withAsterisk: false } },
    Menu: { defaultProps: { shadow: 'md', transitionProps: { duration: 80 }, withInitialFocusPlaceholder: false } },
    Modal: {
      defaultProps: { centered: true, transitionProps: { duration: 120 }, closeButtonProps: { 'aria-label': 'Close' } },
    },
    Notification: { defaultProps: { withBorder: true, closeButtonProps: { 'aria-label': 'Dismiss' } } },
    SegmentedControl: { defaultProps: { transitionDuration: 0 } },
    MultiSelect: {
      defaultProps: { withScrollArea: false },
      styles: { options: { maxHeight: '15rem', overflowY: 'auto' } },
    },
    // Render the options next to the field, inside the page's landmarks or the window. Only the list of options
    // scrolls.
    Select: {
      defaultProps: { withScrollArea: false },
      styles: { options: { maxHeight: '15rem', overflowY: 'auto' } },
    },
    ScrollArea: { defaultProps: { type: 'auto' } },
    Table: { defaultProps: { verticalSpacing: 'xs', fz: 'md' } },
    Tooltip: { defaultProps: { openDelay: 300, withArrow: true } },
  },
});

/**
 * Text has a contrast of at least 4.5. Own variables: `--line` for borders, `--quiet` for quiet backgrounds, `--hover`
 * and `--pressed`, the colours of chart series in their order, and the colours for good, neutral and bad.
 */
export const cssVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    '--line': '#e6e8eb',
    '--quiet': '#f7f8f9',
    '--hover': '#f0f1f3',
    '--pressed': '#e8eaee',
    '--mantine-color-dimmed': '#606770',
    '--mantine-color-placeholder': '#6c737c',
    '--mantine-color-error': 'var(--mantine-color-red-7)',
    '--mantine-color-default-border': '#d5d8dd',
    '--series-1': 'var(--mantine-color-accent-6)',
    '--series-2': '#16907e',
    '--series-3': '#b97a0d',
    '--good': 'var(--mantine-color-green-5)',
    '--neither': '#8a919b',
    '--bad': 'var(--mantine-color-red-5)',
  },
  dark: {
    '--line': 'var(--mantine-color-dark-5)',
    '--quiet': '#17181c',
    '--hover': '#212328',
    '--pressed': '#292b31',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
    '--series-1': 'var(--mantine-color-accent-4)',
    '--series-2': '#3fbfaa',
    '--series-3': '#e0ad3a',
    '--good': 'var(--mantine-color-green-5)',
    '--neither': '#767c87',
    '--bad': 'var(--mantine-color-red-5)',
    // The light variant is a tint in the dark scheme, with text of the same colour.
    ...Object.fromEntries(
      ['accent', 'red', 'green', 'yellow', 'gray'].flatMap((name) => {
        const tint = colors[name]?.[5] ?? name;
        return [
          [`--mantine-color-${name}-light`, alpha(tint, 0.18)],
          [`--mantine-color-${name}-light-hover`, alpha(tint, 0.26)],
          [`--mantine-color-${name}-light-color`, `var(--mantine-color-${name}-3)`],
        ];
      }),
    ),
  },
});

/** The local storage key. index.html reads the same key before the first paint. */
export const schemeManager = localStorageColorSchemeManager({ key: 'regulars.colour-scheme' });
