import { createHash } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startListening } from '../../test/servers/listening.ts';
import { processTreeOf } from '../process-figures.ts';

const secret = 'a secret of the bench';

/** A running nginx that serves a folder, with and without signed links. */
export interface Nginx {
  port: number;
  /** Its processes. */
  pids(): number[];
  /** The target of a file behind `secure_link_md5`. */
  link(name: string, expires: number): string;
  stop(): Promise<void>;
}

/**
 * Starts one worker of nginx on files: `/plain/` as they are, `/signed/` with `secure_link_md5`; with sendfile, tcp_nopush,
 * a cache of open files, and a log that is written in pieces.
 */
export async function startNginx(files: ReadonlyMap<string, Buffer>): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'ply-nginx-'));
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
  const command = (port: number): string[] => {
    const configuration = join(folder, 'nginx.conf');
    writeFileSync(
      configuration,
      // As another user it could not read the folder.
      `${process.getuid?.() === 0 ? 'user root;\n' : ''}worker_processes 1;
daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 1024; }
http {
  access_log ${folder}/access.log combined buffer=64k flush=1s;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  sendfile on; tcp_nopush on; keepalive_requests 100000000;
  open_file_cache max=1000 inactive=60s;
  server {
    listen 127.0.0.1:${port};
    location /plain/ { alias ${folder}/; }
    location /signed/ {
      secure_link $arg_md5,$arg_expires;
      secure_link_md5 "$secure_link_expires$uri ${secret}";
      if ($secure_link = "") { return 403; }
      if ($secure_link = "0") { return 410; }
      alias ${folder}/;
    }
  }
}
`,
    );
    return ['nginx', '-c', configuration, '-p', folder];
  };
  const server = await startListening('nginx', command, folder);
  return {
    port: server.port,
    pids: () => processTreeOf(server.process.pid),
    link: (name, expires) => {
      const path = `/signed/${name}`;
      const md5 = createHash('md5').update(`${expires}${path} ${secret}`).digest('base64url');
      return `${path}?md5=${md5}&expires=${expires}`;
    },
    stop: () => server.stop(),
  };
}
