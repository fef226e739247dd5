import { addressOf } from './client.ts';

describe('the address of Milvus', () => {
  it('may have a user and a password, and TLS', () => {
    expect(addressOf('http://milvus:19530')).toEqual({ address: 'milvus:19530', ssl: false });
    expect(addressOf('https://ply:a%2Fsecret@milvus.example:19530')).toEqual({
      address: 'milvus.example:19530',
      ssl: true,
      username: 'ply',
      password: 'a/secret',
    });
    expect(addressOf('https://milvus.example')).toEqual({ address: 'milvus.example:443', ssl: true });
  });
});
