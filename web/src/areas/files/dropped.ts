import { useState, type DragEvent } from 'react';
import type { Chosen } from './send.ts';

/** The attributes of an element on which files and folders are dropped; `data-over` stands while they are held over it. */
export function useDrop(onFiles: (files: readonly Chosen[]) => void): {
  'data-over': true | undefined;
  onDragOver: (event: DragEvent) => void;
  onDragLeave: () => void;
  onDrop: (event: DragEvent) => void;
} {
  const [isOver, setOver] = useState(false);
  return {
    'data-over': isOver || undefined,
    onDragOver: (event) => {
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event) => {
      event.preventDefault();
      setOver(false);
      void filesOf(event.dataTransfer).then(onFiles);
    },
  };
}

/** Everything that was dropped, with the files of folders at any depth. */
async function filesOf(transfer: DataTransfer): Promise<Chosen[]> {
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  return (await Promise.all(entries.map(filesOfEntry))).flat();
}

/** The files of an input, with their paths where a folder was chosen. */
export function filesOfInput(files: FileList | null): Chosen[] {
  return [...(files ?? [])].map((file) => ({ file, path: file.webkitRelativePath || file.name }));
}

async function filesOfEntry(entry: FileSystemEntry): Promise<Chosen[]> {
  if (entry instanceof FileSystemFileEntry) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    return [{ file, path: entry.fullPath.replace(/^\/+/, '') }];
  }
  if (!(entry instanceof FileSystemDirectoryEntry)) return [];
  const reader = entry.createReader();
  const found: Chosen[] = [];
  for (;;) {
    // A reader gives some entries at a time, and none at the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return found;
    for (const child of some) found.push(...(await filesOfEntry(child)));
  }
}
