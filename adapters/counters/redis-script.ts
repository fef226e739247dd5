/**
 * The sliding window of `window.ts` as one Lua script, so that counting is atomic and uses the server's clock.
 * KEYS[1] the window. ARGV: limit, window in milliseconds, longest group in milliseconds.
 * The key is a hash: `head` and `tail` (numbers of the oldest and newest group), `total`, and for each group's number
 * `first:last:count` in milliseconds. It expires with its window.
 * Returns {1 or 0, requests left, milliseconds until there is capacity (refused) or until the window is empty
 * (allowed)}.
 */
export const takeScript = `
local limit, window, span = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local state = redis.call('HMGET', KEYS[1], 'head', 'tail', 'total')
local head, tail, total = tonumber(state[1] or 1), tonumber(state[2] or 0), tonumber(state[3] or 0)

local function group(number)
  local first, last, count = string.match(redis.call('HGET', KEYS[1], number) or '', '^(%d+):(%d+):(%d+)$')
  return tonumber(first or 0), tonumber(last or 0), tonumber(count or 0)
end

local newestFirst, newestLast, newestCount = 0, 0, 0
if tail >= head then
  newestFirst, newestLast, newestCount = group(tail)
  if newestLast > now then now = newestLast end
end
local forgotten = false
while head <= tail do
  local _, last, count = group(head)
  if last + window > now then break end
  redis.call('HDEL', KEYS[1], head)
  total = total - count
  head = head + 1
  forgotten = true
end

if total < limit then
  if head <= tail and now - newestFirst < span then
    redis.call('HSET', KEYS[1], tail, string.format('%d:%d:%d', newestFirst, now, newestCount + 1))
  else
    tail = tail + 1
    redis.call('HSET', KEYS[1], tail, string.format('%d:%d:1', now, now))
  end
  total = total + 1
  redis.call('HSET', KEYS[1], 'head', head, 'tail', tail, 'total', total)
  redis.call('PEXPIRE', KEYS[1], math.ceil(window))
  return {1, limit - total, math.ceil(window)}
end

if forgotten then redis.call('HSET', KEYS[1], 'head', head, 'tail', tail, 'total', total) end
local left = total
for number = head, tail do
  local _, last, count = group(number)
  left = left - count
  if left < limit then return {0, 0, last + window - now} end
end
return {0, 0, math.ceil(window)}
`;
