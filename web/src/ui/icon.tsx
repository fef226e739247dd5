/** Outlines on a grid of 24 units. */
const outlines = {
  search: 'M10.500 4a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13ZM15.500 15.500 20 20',
  files: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6',
  collection: 'M4 7h6l2 2h8v10H4zM4 7V5h6l2 2',
  bucket:
    'M4 6c0-1.500 3.600-2.500 8-2.500s8 1 8 2.500-3.600 2.500-8 2.500S4 7.500 4 6Zm0 0 2 13c.2 1 2.700 1.800 6 1.800s5.800-.8 6-1.800l2-13',
  video: 'M4 6h16v12H4zM10 9.500v5l4.500-2.500z',
  key: 'M14.500 9.500a4 4 0 1 1-3.200-3.900 4 4 0 0 1 3.200 3.900ZM13.500 12 20 18.500M17.500 16l-2 2',
  people:
    'M9 11a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7Zm-6 9c0-3.500 2.500-6 6-6s6 2.500 6 6M16 4.500a3.300 3.300 0 0 1 0 6M18 14.500c2 .8 3 2.800 3 5.500',
  chart: 'M4 20V10M10 20V4M16 20v-7M21 20H3',
  settings: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4',
  link: 'M10 14a4 4 0 0 0 6 .5l3-3a4 4 0 0 0-5.700-5.700L12 7M14 10a4 4 0 0 0-6-.5l-3 3a4 4 0 0 0 5.700 5.700L12 17',
  bell: 'M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 20.500h4',
  plug: 'M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4',
  domain:
    'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM3 12h18M12 3c2.500 2.500 3.500 5.500 3.500 9s-1 6.500-3.500 9c-2.500-2.500-3.500-5.500-3.500-9s1-6.500 3.500-9Z',
  audit: 'M5 4h14v16H5zM9 9h6M9 13h6M9 17h3',
  upload: 'M12 16V4M7 9l5-5 5 5M4 17v3h16v-3',
  download: 'M12 4v12M7 11l5 5 5-5M4 17v3h16v-3',
  plus: 'M12 5v14M5 12h14',
  close: 'M6 6l12 12M18 6 6 18',
  menu: 'M4 7h16M4 12h16M4 17h16',
  check: 'm5 12.500 4.500 4.500L19 7',
  warning: 'M12 4 2.500 20h19zM12 10v4.500M12 17.400v.1',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5',
  refresh: 'M19.500 10A8 8 0 1 0 20 14M20 4v6h-6',
  more: 'M12 5.500v.1M12 12v.1M12 18.500v.1',
  leave: 'M10 4H4v16h6M15 8l4 4-4 4M19 12H9',
  play: 'M7 4.500v15l12-7.500z',
  image: 'M4 5h16v14H4zM4 16l5-5 4 4 3-2.500 4 3.500M15 9.500v.1',
  sound: 'M4 10v4h4l5 4V6l-5 4zM17 9a4 4 0 0 1 0 6M19.500 6.500a8 8 0 0 1 0 11',
  pen: 'M5 19l1-4L16 5l3 3L9 18zM14 7l3 3',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM12 3v1.500M12 19.500V21M3 12h1.500M19.500 12H21M5.600 5.600l1.100 1.100M17.300 17.300l1.100 1.100M18.400 5.600l-1.100 1.100M6.700 17.300l-1.100 1.100',
  eye: 'M2.500 12S6 5.500 12 5.500 21.500 12 21.500 12 18 18.500 12 18.500 2.500 12 2.500 12ZM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6Z',
  clock: 'M12 3.500a8.500 8.500 0 1 0 0 17 8.500 8.500 0 0 0 0-17ZM12 7.500V12l3 2',
} as const;

/** Names of the icons. */
export type IconName = keyof typeof outlines;

/** A decorative icon: what it means stands beside it, or is the label of its button. */
export function Icon({ name }: { name: IconName }): React.ReactElement {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={outlines[name]} />
    </svg>
  );
}
