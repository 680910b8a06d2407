--[[ Records a task that its vendor has accepted: the record, when to look at it, its place in the account's list, the
     longer lease of its hold, and its first event, in one write.
  KEYS[1] task (hash: version, record, told: outbox entries of its events, while they are there)   [2] due tasks of the shard (zset: member -> when, ms)
  KEYS[3] tasks of the account (zset: task id -> created, ms)   [4] holds of the shard   [5] outbox of the shard
  KEYS[6] due callbacks of the shard   [7] callbacks of the shard
  ARGV[1] task id   [2] member   [3] record (JSON)   [4] due (ms)   [5] created (ms)   [6] call id of the hold
  ARGV[7] expiry of the hold's lease (ms)   [8] task event (JSON)   [9] tasks created before this are off the list (ms)
  ARGV[10] id of its callback, "": none   [11] callback (JSON)   [12] when others may tell it (ms)
  Returns {"created", outbox entry id} | {"exists"} | {"no-hold"} ]]
if redis.call('EXISTS', KEYS[1]) == 1 then return {'exists'} end
if not redis.call('ZSCORE', KEYS[4], ARGV[6]) then return {'no-hold'} end
redis.call('HSET', KEYS[1], 'version', '1', 'record', ARGV[3])
redis.call('ZADD', KEYS[2], ARGV[4], ARGV[2])
redis.call('ZADD', KEYS[3], ARGV[5], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', '(' .. ARGV[9])
redis.call('ZADD', KEYS[4], 'XX', ARGV[7], ARGV[6])
if ARGV[10] ~= '' then
  redis.call('HSET', KEYS[7], ARGV[10], ARGV[11])
  redis.call('ZADD', KEYS[6], ARGV[12], ARGV[10])
end
local told = redis.call('XADD', KEYS[5], '*', 'task', ARGV[8])
redis.call('HSET', KEYS[1], 'told', told)
return {'created', told}
