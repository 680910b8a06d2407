--[[ Counts a record of an account's content, whose owner may keep so many bytes and records (clock.lua comes before this).
     Records that have expired give their share back first; a record that does not grow is never refused.
  sizes hash: record -> bytes, '' -> the sum of all   expiries zset: record -> when it expires (ms)
  bytes: what the record comes to, or with `adds` what it grows by; nothing: it is gone ]]
local now = clock(nowMs)
local total = tonumber(redis.call('HGET', sizes, '') or '0')
local function forget(name)
  total = total - tonumber(redis.call('HGET', sizes, name) or '0')
  redis.call('HDEL', sizes, name)
  redis.call('ZREM', expiries, name)
end
for _, name in ipairs(redis.call('ZRANGEBYSCORE', expiries, '-inf', now, 'LIMIT', 0, 1000)) do forget(name) end
local before = tonumber(redis.call('HGET', sizes, record) or '0')
local after = bytes
if adds then after = math.max(0, before + bytes) end
local isFull = total - before + after > maxBytes or (before == 0 and redis.call('ZCARD', expiries) >= maxRecords)
if after > before and isFull then
  redis.call('HSET', sizes, '', string.format('%.0f', total))
  return {'full'}
end
if after == 0 then
  forget(record)
else
  total = total - before + after
  redis.call('HSET', sizes, record, string.format('%.0f', after))
  redis.call('ZADD', expiries, string.format('%.0f', now + lifetimeMs), record)
end
redis.call('HSET', sizes, '', string.format('%.0f', total))
local last = redis.call('ZREVRANGE', expiries, 0, 0, 'WITHSCORES')[2]
local keptMs = math.max(1000, tonumber(last or now) - now)
redis.call('PEXPIRE', sizes, string.format('%.0f', keptMs))
redis.call('PEXPIRE', expiries, string.format('%.0f', keptMs))
return {'kept'}
