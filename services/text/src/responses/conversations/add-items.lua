--[[ Adds items behind those of a conversation, within its bounds.
  head: what a conversation is beside its items (hash; bytes: what its items come to)
  list: its items, packed ]]
if redis.call('EXISTS', head) == 0 then return {'absent'} end
local more = 0
for _, item in ipairs(items) do more = more + #item end
if redis.call('LLEN', list) + #items > maxItems then return {'full'} end
if tonumber(redis.call('HGET', head, 'bytes') or '0') + more > maxBytes then return {'full'} end
for _, item in ipairs(items) do redis.call('RPUSH', list, item) end
redis.call('HINCRBY', head, 'bytes', more)
redis.call('PEXPIRE', head, lifetimeMs)
redis.call('PEXPIRE', list, lifetimeMs)
return {'added'}
