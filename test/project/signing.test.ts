import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { signDirectory } from '../../models/links/sign.ts';
import { tagValueFault } from '../../models/links/tags.ts';
import { readTarget } from '../../models/links/target.ts';
import { linkKeyBytes } from '../../models/links/token.ts';
import { verifyLink } from '../../models/links/verify.ts';
import { keyFault, keyForm } from '../../models/storage-key.ts';
import { projectRoot } from '../../scripts/setup/paths.mjs';
import { skipWithReason } from '../support/servers.ts';

const helpers = join(projectRoot, 'docs/signing');
const profile = {
  scheme: 'pl1',
  keyId: 'k1234567',
  key: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8',
  hostname: 'files.example.com',
};
const linkKey = { keyId: profile.keyId, key: linkKeyBytes(profile.key) };
const expires = 1_893_456_000;

/** What a helper is asked to sign. */
interface Case {
  key: string;
  ip: string | null;
  tags: { [name: string]: string };
}

const published: Case = { key: 'a b/ü.txt', ip: '203.0.113.9', tags: { customer: 'c-42' } };
const keys = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
  .filter((text) => new RegExp(keyForm.source, 'u').test(text) && keyFault(text) === null);
const values = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 10 });
const cases: Case[] = [
  published,
  { key: "!'()*~-._+ &=?#%", ip: null, tags: { b: '2', a_1: '/+ %', a: '1' } },
  ...fc.sample(
    fc.record({
      key: keys,
      ip: fc.option(fc.ipV4(), { nil: null }),
      tags: fc.dictionary(
        fc.stringMatching(/^[a-z][a-z0-9_]{0,10}$/),
        values.filter((value) => tagValueFault(value) === null),
        { maxKeys: 8, noNullPrototype: true },
      ),
    }),
    { numRuns: 60, seed: 7 },
  ),
];

/** Each helper with a program around it, which reads `cases.json` and prints a list of links. */
const languages = [
  {
    name: 'JavaScript',
    helper: 'sign.js',
    versions: [process.execPath, '--version'],
    file: 'main.mjs',
    program: `import { readFileSync } from 'node:fs';
import { signLink } from './sign.js';
const { profile, cases, expires } = JSON.parse(readFileSync('cases.json', 'utf8'));
console.log(JSON.stringify(cases.map(({ key, ip, tags }) => signLink(profile, key, expires, { ip, tags }))));`,
    run: [process.execPath, 'main.mjs'],
  },
  {
    name: 'Python',
    helper: 'sign.py',
    versions: ['python3', '--version'],
    file: 'main.py',
    program: `import json
from sign import sign_link
given = json.load(open("cases.json", encoding="utf-8"))
print(json.dumps([sign_link(given["profile"], c["key"], given["expires"], c["ip"], c["tags"]) for c in given["cases"]]))`,
    run: ['python3', 'main.py'],
  },
  {
    name: 'PHP',
    helper: 'sign.php',
    versions: ['php', '--version'],
    file: 'main.php',
    program: `<?php
require 'sign.php';
$given = json_decode(file_get_contents('cases.json'), true);
echo json_encode(array_map(fn ($c) => sign_link($given['profile'], $c['key'], $given['expires'], $c['ip'], $c['tags']), $given['cases']));`,
    run: ['php', 'main.php'],
  },
  {
    name: 'Go',
    helper: 'sign.go',
    versions: ['go', 'version'],
    file: 'main.go',
    program: `package main

import (
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	var given struct {
		Profile Profile
		Expires int64
		Cases   []struct {
			Key, IP string
			Tags    map[string]string
		}
	}
	bytes, _ := os.ReadFile("cases.json")
	if err := json.Unmarshal(bytes, &given); err != nil {
		panic(err)
	}
	links := []string{}
	for _, c := range given.Cases {
		link, err := SignLink(given.Profile, c.Key, given.Expires, c.IP, c.Tags)
		if err != nil {
			panic(err)
		}
		links = append(links, link)
	}
	answer, _ := json.Marshal(links)
	fmt.Println(string(answer))
}`,
    run: ['go', 'run', 'main.go', 'sign.go'],
  },
];

function run(
  [command = '', ...words]: string[],
  cwd: string,
): { status: number | null; output: string; error: string } {
  const { status, stdout, stderr, error } = spawnSync(command, words, { cwd, encoding: 'utf8', timeout: 120_000 });
  return { status: error === undefined ? status : null, output: stdout ?? '', error: stderr ?? '' };
}

for (const { name, helper, versions, file, program, run: words } of languages) {
  const title = `the signing helper in ${name}`;
  if (run(versions, projectRoot).status !== 0) {
    skipWithReason(title, `${name} is not installed`);
    continue;
  }
  describe(title, () => {
    it('makes the published link, and links that are verified', () => {
      const folder = mkdtempSync(join(tmpdir(), 'ply-signing-'));
      try {
        cpSync(join(helpers, helper), join(folder, helper));
        writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
        writeFileSync(join(folder, file), program);
        writeFileSync(join(folder, 'cases.json'), JSON.stringify({ profile, expires, cases }));
        const { status, output, error } = run(words, folder);
        expect({ status, error }).toMatchObject({ status: 0 });
        const links: string[] = JSON.parse(output);
        expect(links).toHaveLength(cases.length);
        expect(readFileSync(join(projectRoot, 'docs/signing.md'), 'utf8')).toContain(
          `\`${links[0]?.slice('https://files.example.com'.length)}\``,
        );
        for (const [at, { key, ip, tags }] of cases.entries()) {
          const target = readTarget(links[at]?.slice('https://files.example.com'.length) ?? '');
          expect(target?.key).toBe(key);
          const rules = { scheme: 'pl1', directoryScheme: null, key: linkKey, ipBinding: false, now: 0 } as const;
          expect(verifyLink(target!, rules)).toEqual({ expires, ip, tags, directory: null });
        }
      } finally {
        rmSync(folder, { recursive: true });
      }
    }, 180_000);
  });
}

describe('the page about signing', () => {
  it('has the vector of a link to a directory', () => {
    const { nativePrefix } = signDirectory('pl1d', linkKey, 'videos/v1', { expires });
    expect(readFileSync(join(projectRoot, 'docs/signing.md'), 'utf8')).toContain(
      `\`${nativePrefix}/videos/v1/master.m3u8\``,
    );
  });
});
