--[[ Takes the due tasks of a shard for one poller: they are due again when the lease is over, unless they were advanced.
  KEYS[1] due tasks of the shard (zset: member -> when, ms)
  ARGV[1] now (ms)   [2] end of the lease (ms)   [3] most
  Returns the members ]]
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[3])
for _, member in ipairs(due) do redis.call('ZADD', KEYS[1], 'XX', ARGV[2], member) end
return due
