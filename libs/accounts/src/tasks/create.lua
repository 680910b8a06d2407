--[[ Records a task that its vendor has accepted, in one step: the record, the time of its first poll, its entry in the
     account's list, the longer lease of its hold, and its first event.
  task hash: version, record, entries (of its events in the outbox)
  due zset: member -> time (ms)   list zset: task id -> created (ms)   holds zset: call id -> lease expiry (ms)
  outbox stream   callbacksDue zset: event id -> time (ms)   callbacks hash: event id -> JSON
  listedSince: older tasks are removed from the list (ms)   callbackId: nil if the task has no callback ]]
if redis.call('EXISTS', task) == 1 then return {'exists'} end
if not redis.call('ZSCORE', holds, callId) then return {'no-hold'} end
redis.call('HSET', task, 'version', '1', 'record', record)
redis.call('ZADD', due, nextPollAt, member)
redis.call('ZADD', list, createdAt, id)
redis.call('ZREMRANGEBYSCORE', list, '-inf', string.format('(%.0f', listedSince))
redis.call('ZADD', holds, 'XX', holdUntil, callId)
if callbackId then
  redis.call('HSET', callbacks, callbackId, callback)
  redis.call('ZADD', callbacksDue, callbackDueAt, callbackId)
end
local entry = redis.call('XADD', outbox, '*', 'task', event)
redis.call('HSET', task, 'entries', entry)
return {'created', entry = entry}
