const sectorBytes = 512;
const entriesPerSector = 4;
const endOfChain = 0xfffffffe;

/**
 * Builds an OLE compound file ([MS-CFB]) whose directory has empty streams of the given names; its directory lies in
 * sectors that are not beside each other.
 */
export function buildCompoundFile(names: readonly string[]): Buffer {
  const all = ['Root Entry', ...names];
  const count = Math.ceil(all.length / entriesPerSector);
  const header = Buffer.alloc(sectorBytes);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(header);
  header.writeUInt16LE(9, 30);
  header.writeUInt32LE(1, 44);
  header.writeUInt32LE(1, 48);
  header.fill(0xff, 76);
  header.writeUInt32LE(0, 76);
  const table = Buffer.alloc(sectorBytes, 0xff);
  const sectors = [table];
  for (let at = 0; at < count; at++) {
    const directory = Buffer.alloc(sectorBytes);
    all.slice(at * entriesPerSector, (at + 1) * entriesPerSector).forEach((name, index) => {
      directory.write(name, index * 128, 'utf16le');
      directory.writeUInt16LE(name.length * 2 + 2, index * 128 + 64);
    });
    // An empty sector stands behind each one of the directory.
    sectors.push(directory, Buffer.alloc(sectorBytes));
    table.writeUInt32LE(at + 1 === count ? endOfChain : at * 2 + 3, (at * 2 + 1) * 4);
  }
  return Buffer.concat([header, ...sectors]);
}
