import { joinWhiteSpace } from '../clean.ts';

/** Cues with thumbnails for the timeline: such tracks have no speech. */
const pictureCue = /^\S+\.(jpe?g|png|webp|gif)(#xywh=[\d,]+)?$/i;

/**
 * The cue texts of a caption file, in order: WebVTT (W3C, 4.1) and SubRip. Times, settings, speaker marks and text
 * between cues are dropped, and a line that stays through several cues is returned once.
 */
export function captionTexts(file: string): string[] {
  const texts: string[] = [];
  let lines: string[] | null = null;
  let last = '';
  const endCue = (): void => {
    const shown = lines?.filter((line) => line !== '' && line !== last && !pictureCue.test(line)) ?? [];
    last = lines?.at(-1) ?? last;
    lines = null;
    if (shown.length > 0) texts.push(shown.join('\n'));
  };
  for (const line of file.split(/\r\n?|\n/)) {
    if (line.includes('-->')) {
      endCue();
      lines = [];
    } else if (line.trim() === '') endCue();
    else
      lines?.push(
        joinWhiteSpace(
          line
            .replace(/<[^<>]{0,200}>|\{\\[^{}]{0,200}\}/g, '')
            .replaceAll('&nbsp;', ' ')
            .replaceAll('&amp;', '&'),
        ),
      );
  }
  endCue();
  return texts;
}
