--[[ Replaces a task's record if it still has the version that was read, settles its hold if the task has ended, and
     writes the events, all in one step. Requires unpublished.lua, clock.lua and money's account-state.lua,
     budgets.lua and settlement.lua.
  task hash: version, record, entries (of its events in the outbox)   due zset: member -> time (ms)
  account, hold, holds, outbox, budgets, late: see settlement.lua
  callbacksDue zset: event id -> time (ms)   callbacks hash: event id -> JSON
  Values that may be nil: nextPollAt (the task has ended), event (its state is the same),
  settleCall (nothing to settle), callbackId (no callback)
  Returns the new outbox entries, the settlement's receipt, and the entry id and JSON of each earlier event of the task
  that is still in the outbox. ]]
if redis.call('HGET', task, 'version') ~= version then return {'stale'} end
redis.call('HSET', task, 'version', tostring(tonumber(version) + 1), 'record', record)
if nextPollAt then
  redis.call('ZADD', due, nextPollAt, member)
else
  redis.call('ZREM', due, member)
  if redis.call('PTTL', task) < 0 then redis.call('PEXPIRE', task, keepMs) end
end
local taskEntry
local entries, earlier = unpublished(task, outbox)
if event then
  taskEntry = redis.call('XADD', outbox, '*', 'task', event)
  entries[#entries + 1] = taskEntry
end
if #entries == 0 then redis.call('HDEL', task, 'entries') else redis.call('HSET', task, 'entries', table.concat(entries, ' ')) end
if callbackId then
  redis.call('HSET', callbacks, callbackId, callback)
  redis.call('ZADD', callbacksDue, callbackDueAt, callbackId)
end
local settled = {}
if settleCall then
  settled = settlement(
    {account = account, hold = hold, holds = holds, outbox = outbox, budgets = budgets, late = late},
    {id = settleCall, cost = cost, event = usageEvent, tokens = 0, nowMs = nowMs})
end
if settled[1] ~= 'settled' then return {'advanced', taskEntry = taskEntry, earlier = earlier} end
return {'settled', taskEntry = taskEntry, usageEntry = settled.entry, uncovered = settled.uncovered,
  number = settled.number, previous = settled.previous, balance = settled.balance, hash = settled.hash, earlier = earlier}
