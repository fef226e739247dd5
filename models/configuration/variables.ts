import { isIP } from 'node:net';

/** How a variable's text becomes a value. Throws an Error whose message says what is expected. */
export interface VariableKind<T> {
  /** For the documentation: what the text looks like. */
  shape: string;
  parse(text: string): T;
}

/** One `PLY_*` variable: its kind, its value where unset, and what it is for. */
export interface Variable<T> {
  kind: VariableKind<T>;
  fallback: T;
  /** How the documentation shows the fallback. */
  shownFallback: string;
  purpose: string;
}

/** Declares a variable. */
export function variable<T>(kind: VariableKind<T>, fallback: T, purpose: string, shownFallback?: string): Variable<T> {
  return {
    kind,
    fallback,
    purpose,
    shownFallback: shownFallback ?? (fallback === null || fallback === '' ? 'none' : String(fallback)),
  };
}

/** An integer from `min` to `max`. */
export function integer(min: number, max: number): VariableKind<number> {
  return {
    shape: `whole number, ${min} to ${max}`,
    parse: (text) => {
      const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
      if (!(value >= min && value <= max)) throw new Error(`expected a whole number from ${min} to ${max}`);
      return value;
    },
  };
}

/** A share: a decimal number from 0 to 1. */
export const share: VariableKind<number> = {
  shape: 'number, 0 to 1',
  parse: (text) => {
    const value = /^\d(\.\d{1,10})?$/.test(text) ? Number(text) : Number.NaN;
    if (!(value <= 1)) throw new Error('expected a number from 0 to 1, such as 0.05');
    return value;
  },
};

/** One of the given words. */
export function oneOf<const W extends string>(...words: W[]): VariableKind<W> {
  return {
    shape: words.join(' or '),
    parse: (text) => {
      const word = words.find((candidate) => candidate === text);
      if (word === undefined) throw new Error(`expected ${words.join(' or ')}`);
      return word;
    },
  };
}

/** One or more of the given words, comma separated. */
export function listOf<const W extends string>(...words: W[]): VariableKind<readonly W[]> {
  const single = oneOf(...words);
  return {
    shape: `comma separated: ${words.join(', ')}`,
    parse: (text) => {
      const chosen = [...new Set(text.split(',').map((part) => single.parse(part.trim())))];
      if (chosen.length === 0) throw new Error('expected at min one');
      return chosen;
    },
  };
}

/** Any text of at most `max` characters, such as a path or a name. */
export function text(max = 4096): VariableKind<string> {
  return {
    shape: 'text',
    parse: (value) => {
      if (value.length > max) throw new Error(`expected at most ${max} characters`);
      return value;
    },
  };
}

/** The beginning of names on NATS, where dots, spaces and wildcards have a meaning of their own. */
export const natsPrefix: VariableKind<string> = {
  shape: 'at most 32 letters, digits, `_` and `-`',
  parse: (value) => {
    if (!/^[A-Za-z0-9_-]{1,32}$/.test(value)) throw new Error('expected at most 32 letters, digits, _ and -');
    return value;
  },
};

/** Text that may be missing. */
export function optional<T>(kind: VariableKind<T>): VariableKind<T | null> {
  return kind;
}

/** An address with one of the given schemes. It may name several servers, comma separated, so it need not be a URL. */
export function address(...schemes: string[]): VariableKind<string> {
  return {
    shape: `address (${schemes.join(', ')})`,
    parse: (value) => {
      const scheme = /^([a-z0-9+]+):\/\/\S+$/.exec(value)?.[1];
      if (scheme === undefined || !schemes.includes(scheme))
        throw new Error(`expected an address that begins with ${schemes.map((s) => `${s}://`).join(' or ')}`);
      return value;
    },
  };
}

/** Host to listen on: an IP address or a name. */
export const host: VariableKind<string> = {
  shape: 'IP address or host name',
  parse: (value) => {
    if (isIP(value) === 0 && !/^[A-Za-z0-9.-]{1,253}$/.test(value))
      throw new Error('expected an IP address or a host name');
    return value;
  },
};

/** A domain name in lower case, without a dot at its end. */
export const domain: VariableKind<string> = {
  shape: 'domain name',
  parse: (value) => {
    const name = value.toLowerCase();
    if (name.length > 180 || !/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/.test(name))
      throw new Error('expected a domain name');
    return name;
  },
};

/** The name of an HTTP header. */
export const headerName: VariableKind<string> = {
  shape: 'name of a header',
  parse: (value) => {
    if (!/^[A-Za-z0-9-]{1,100}$/.test(value)) throw new Error('expected the name of a header: letters, digits and -');
    return value;
  },
};

/** Host names, comma separated, a leading `*.` allowed. */
export const hostList: VariableKind<readonly string[]> = {
  shape: 'host names, comma separated, `*.` allowed in front',
  parse: (value) => {
    const hosts = value
      .split(',')
      .map((part) => part.trim().toLowerCase())
      .filter((part) => part !== '');
    const wrong = hosts.find((name) => !/^(\*\.)?[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(name));
    if (wrong !== undefined) throw new Error(`${wrong} is no host name`);
    return hosts;
  },
};

/** The base of other addresses: http or https. Trailing slashes are removed. */
export const baseAddress: VariableKind<string> = {
  shape: 'address (http, https) without query',
  parse: (value) => {
    const url = URL.canParse(value) ? new URL(value) : null;
    const plain =
      url !== null &&
      /^https?:$/.test(url.protocol) &&
      url.username === '' &&
      url.password === '' &&
      url.search === '' &&
      url.hash === '';
    if (!plain) throw new Error('expected an http or https address without user, query or fragment');
    return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  },
};

/** IP addresses and networks (`10.0.0.0/8`), comma separated. */
export const networkList: VariableKind<readonly string[]> = {
  shape: 'IP addresses or networks such as 10.0.0.0/8, comma separated',
  parse: (value) => {
    const networks = value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
    const wrong = networks.find((network) => !isNetwork(network));
    if (wrong !== undefined) throw new Error(`${wrong} is neither an IP address nor a network`);
    return networks;
  },
};

function isNetwork(text: string): boolean {
  const [ip = '', bits, ...more] = text.split('/');
  const family = isIP(ip);
  if (family === 0 || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** DNS servers as Node's resolver takes them: `ip[:port]`, comma separated, IPv6 addresses in brackets. */
export const dnsServerList: VariableKind<readonly string[]> = {
  shape: 'IP addresses with or without a port, comma separated',
  parse: (value) => {
    const servers = value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
    const wrong = servers.find((server) => !isDnsServer(server));
    if (wrong !== undefined) throw new Error(`${wrong} is no ip[:port], with IPv6 addresses in brackets`);
    return servers;
  },
};

function isDnsServer(text: string): boolean {
  const [, v6, v4, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([0-9.]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const isAddress = v6 === undefined ? isIP(v4 ?? '') === 4 : isIP(v6) === 6;
  return isAddress && (port === undefined || (Number(port) > 0 && Number(port) <= 65_535));
}

/** A lower-case UUID. */
export const uuid: VariableKind<string> = {
  shape: 'UUID',
  parse: (value) => {
    if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)) throw new Error('expected a UUID');
    return value.toLowerCase();
  },
};

/** Up to 20 UUIDs, comma separated. */
export const uuidList: VariableKind<readonly string[]> = {
  shape: 'UUIDs, comma separated, at most 20',
  parse: (value) => {
    const ids = value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
    if (ids.length > 20) throw new Error('expected 20 UUIDs at most');
    return ids.map((id) => uuid.parse(id));
  },
};

/** 20 to 200 printable characters: a key chosen by the operator. */
export const keyText: VariableKind<string> = {
  shape: '20 to 200 printable characters',
  parse: (value) => {
    if (!/^[\x21-\x7e]{20,200}$/.test(value)) throw new Error('expected 20 to 200 printable characters without spaces');
    return value;
  },
};

/** Secret keys of 32 bytes, comma separated. */
export const secretKeyList: VariableKind<readonly string[]> = {
  shape: 'keys of 32 bytes as base64 or base64url, comma separated',
  parse: (value) => {
    const keys = value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
    const wrong = keys.findIndex((key) => Buffer.from(key, 'base64url').byteLength !== 32);
    // The message does not contain the key, which may be right except for one character.
    if (wrong !== -1) throw new Error(`expected 32 bytes as base64 or base64url; number ${wrong + 1} is not`);
    return keys;
  },
};
