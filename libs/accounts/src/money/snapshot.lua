--[[ Reads an account's money and the amounts of its open holds in one step.
  account hash   holds zset: call id -> lease expiry (ms)
  holdPrefix: prefix of the holds' keys   maxHolds: maximum holds of the shard; if there are more, none is read ]]
local found = redis.call('HMGET', account, 'available', 'held', 'credited', 'spent', 'receipts', 'head')
if not found[1] then return {'no-account'} end
local complete, amounts = redis.call('ZCARD', holds) <= maxHolds, {}
if complete then
  for _, call in ipairs(redis.call('ZRANGE', holds, 0, -1)) do
    local hold = redis.call('HMGET', holdPrefix .. call, 'account', 'nanos')
    if hold[1] == accountId then amounts[#amounts + 1] = hold[2] end
  end
end
return {'found', available = found[1], held = found[2], credited = found[3], spent = found[4],
  receipts = found[5] or '0', head = found[6] or '', complete = complete, holds = amounts}
