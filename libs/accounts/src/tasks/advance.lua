--[[ Replaces a task's record if nobody else has since it was read; settles its hold where the task ends, and writes the
     events, all in one step (receipt.lua and settlement.lua of money come before this).
  KEYS[1] task   [2] due tasks of the shard   [3] account   [4] hold   [5] holds   [6] outbox   [7] token bucket
  KEYS[8] due callbacks of the shard   [9] callbacks of the shard   [10] late calls of the shard
  ARGV[1] member   [2] version that was read   [3] record (JSON)   [4] due (ms), "": never again
  ARGV[5] how long an ended task is kept (ms)   [6] task event (JSON), "": none
  ARGV[7] call id to settle, "": none   [8] cost (nanos)   [9] usage event (JSON, without its cost)   [10] now (ms)
  ARGV[11] id of the transition's callback, "": none   [12] callback (JSON)   [13] when others may tell it (ms)
  Returns {"advanced", task entry id, usage entry id, uncovered nanos, the receipt's number, previous, balance and
  hash ("" where there is none), then entry id and JSON of each event of the task that was there before and that nobody
  has published yet} | {"stale"} ]]
if redis.call('HGET', KEYS[1], 'version') ~= ARGV[2] then return {'stale'} end
redis.call('HSET', KEYS[1], 'version', tostring(tonumber(ARGV[2]) + 1), 'record', ARGV[3])
if ARGV[4] == '' then
  redis.call('ZREM', KEYS[2], ARGV[1])
  if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[5]) end
else
  redis.call('ZADD', KEYS[2], ARGV[4], ARGV[1])
end
local task, settled, told, left = '', {}, {}, {}
for id in string.gmatch(redis.call('HGET', KEYS[1], 'told') or '', '%S+') do
  local entry = redis.call('XRANGE', KEYS[6], id, id)[1]
  if entry then
    told[#told + 1] = id
    left[#left + 1] = id
    left[#left + 1] = entry[2][2]
  end
end
if ARGV[6] ~= '' then
  task = redis.call('XADD', KEYS[6], '*', 'task', ARGV[6])
  told[#told + 1] = task
end
if #told == 0 then redis.call('HDEL', KEYS[1], 'told') else redis.call('HSET', KEYS[1], 'told', table.concat(told, ' ')) end
if ARGV[11] ~= '' then
  redis.call('HSET', KEYS[9], ARGV[11], ARGV[12])
  redis.call('ZADD', KEYS[8], ARGV[13], ARGV[11])
end
if ARGV[7] ~= '' then
  local keys = {account = KEYS[3], hold = KEYS[4], holds = KEYS[5], outbox = KEYS[6], bucket = KEYS[7],
    late = KEYS[10]}
  settled = settlement(keys, ARGV[7], ARGV[8], ARGV[9], 0, tonumber(ARGV[10]), false)
end
local answer = {'advanced', task}
for at = 2, 7 do answer[at + 1] = tostring(settled[at] or '') end
for _, part in ipairs(left) do answer[#answer + 1] = part end
return answer
