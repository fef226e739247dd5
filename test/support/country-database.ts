/*
 * Writes small databases of countries in the MaxMind DB file format, version 2.0:
 * https://maxmind.github.io/MaxMind-DB/ (search tree of 24-bit records, data section, metadata).
 */

const types = { string: 2, uint16: 5, uint32: 6, map: 7, array: 11 };

function control(type: number, size: number): Buffer {
  return type <= 7 ? Buffer.from([(type << 5) | size]) : Buffer.from([size, type - 7]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([control(types.string, bytes.length), bytes]);
}

function number(type: 5 | 6, value: number): Buffer {
  const bytes = Buffer.alloc(type === types.uint16 ? 2 : 4);
  if (type === types.uint16) bytes.writeUInt16BE(value);
  else bytes.writeUInt32BE(value);
  return Buffer.concat([control(type, bytes.length), bytes]);
}

function map(entries: readonly (readonly [string, Buffer])[]): Buffer {
  return Buffer.concat([
    control(types.map, entries.length),
    ...entries.flatMap(([name, value]) => [text(name), value]),
  ]);
}

type Node = [Node | number | null, Node | number | null];

/** A database that knows the countries of these IPv4 networks, such as `203.0.113.0/24`. */
export function countryDatabase(networks: { readonly [network: string]: string }): Buffer {
  const root: Node = [null, null];
  const data: Buffer[] = [];
  let offset = 0;
  for (const [network, country] of Object.entries(networks)) {
    const [address = '', length = '32'] = network.split('/');
    const bits = address
      .split('.')
      .map((part) => Number(part).toString(2).padStart(8, '0'))
      .join('')
      .slice(0, Number(length));
    let node = root;
    for (const [index, bit] of Array.from(bits, Number).entries()) {
      const side = bit === 1 ? 1 : 0;
      if (index === bits.length - 1) node[side] = offset;
      else {
        const next = node[side];
        if (Array.isArray(next)) node = next;
        else node = node[side] = [null, null];
      }
    }
    const record = map([['country', map([['iso_code', text(country)]])]]);
    data.push(record);
    offset += record.length;
  }
  const nodes: Node[] = [];
  const numbers = new Map<Node, number>();
  const walk = (node: Node): void => {
    numbers.set(node, nodes.length);
    nodes.push(node);
    for (const side of node) if (Array.isArray(side)) walk(side);
  };
  walk(root);
  const tree = Buffer.alloc(nodes.length * 6);
  for (const [index, node] of nodes.entries())
    for (const [side, value] of node.entries()) {
      const record =
        value === null ? nodes.length : typeof value === 'number' ? nodes.length + 16 + value : numbers.get(value);
      tree.writeUIntBE(record ?? nodes.length, index * 6 + side * 3, 3);
    }
  const metadata = map([
    ['binary_format_major_version', number(5, 2)],
    ['binary_format_minor_version', number(5, 0)],
    ['build_epoch', number(6, 1_700_000_000)],
    ['database_type', text('Countries')],
    ['description', map([['en', text('for tests')]])],
    ['ip_version', number(5, 4)],
    ['languages', Buffer.concat([control(types.array, 1), text('en')])],
    ['node_count', number(6, nodes.length)],
    ['record_size', number(5, 24)],
  ]);
  return Buffer.concat([tree, Buffer.alloc(16), ...data, Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1'), metadata]);
}
