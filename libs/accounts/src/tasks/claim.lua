--[[ Claims the due members of a shard for one process: each is due again when the lease ends, unless it was
     rescheduled or removed before.
  due zset: member -> time (ms) ]]
local members = redis.call('ZRANGEBYSCORE', due, '-inf', nowMs, 'LIMIT', 0, maxMembers)
for _, member in ipairs(members) do redis.call('ZADD', due, 'XX', leaseUntil, member) end
return {'claimed', members = members}
