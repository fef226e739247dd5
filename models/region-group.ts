/** Parts of the world by which delivery is counted, in the order in which they are shown. */
export const regionGroups = ['india-asia', 'europe-north-america', 'latin-america', 'middle-east-africa'] as const;

/** A part of the world by which delivery is counted. */
export type RegionGroup = (typeof regionGroups)[number];

/** Names of the region groups for people. */
export const regionGroupLabels: { readonly [G in RegionGroup]: string } = {
  'india-asia': 'India and Asia',
  'europe-north-america': 'Europe and North America',
  'latin-america': 'Latin America',
  'middle-east-africa': 'Middle East and Africa',
};

/*
 * Countries of UN M49 regions (https://unstats.un.org/unsd/methodology/m49/). Those that M49 has in none of them (Asia
 * without its west, Oceania, Antarctica) are `india-asia`, as are `TW` and codes that M49 does not list.
 */
const countries: { readonly [G in Exclude<RegionGroup, 'india-asia'>]: string } = {
  // Europe (150), Northern America (021), and Kosovo.
  'europe-north-america':
    'AD AL AT AX BA BE BG BY CH CZ DE DK EE ES FI FO FR GB GG GI GR HR HU IE IM IS IT JE LI LT LU LV MC MD ME MK MT NL ' +
    'NO PL PT RO RS RU SE SI SJ SK SM UA VA ' +
    'BM CA GL PM US XK',
  // Latin America and the Caribbean (419).
  'latin-america':
    'AG AI AR AW BB BL BO BQ BR BS BV BZ CL CO CR CU CW DM DO EC FK GD GF GP GS GT GY HN HT JM KN KY LC MF MQ MS MX NI ' +
    'PA PE PR PY SR SV SX TC TT UY VC VE VG VI',
  // Africa (002), Western Asia (145), and Iran.
  'middle-east-africa':
    'AO BF BI BJ BW CD CF CG CI CM CV DJ DZ EG EH ER ET GA GH GM GN GQ GW IO KE KM LR LS LY MA MG ML MR MU MW MZ NA NE ' +
    'NG RE RW SC SD SH SL SN SO SS ST SZ TD TF TG TN TZ UG YT ZA ZM ZW ' +
    'AE AM AZ BH CY GE IL IQ JO KW LB OM PS QA SA SY TR YE IR',
};

const groupByCountry: ReadonlyMap<string, RegionGroup> = new Map(
  Object.entries(countries).flatMap(([group, codes]) =>
    codes
      .split(' ')
      .map((code): [string, RegionGroup] => [code, regionGroups.find((name) => name === group) ?? 'india-asia']),
  ),
);

/** The region group of a country (ISO 3166-1 alpha-2, or `XK`). */
export function regionGroupOf(country: string): RegionGroup {
  return groupByCountry.get(country) ?? 'india-asia';
}
