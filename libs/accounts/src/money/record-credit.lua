--[[ Records a change of a balance that has just been made (receipt.lua comes before this).
  state: of the account   keys {credits, outbox}   operation id   nanos, may be negative   entry (JSON object)
  replaces: hash of the receipt that it had before, or nil ]]
local function record_credit(state, keys, operation, nanos, entry, replaces)
  local number, previous, balance, hash = add_receipt(state, nanos, entry)
  local recorded = string.sub(entry, 1, -2) .. string.format(
    ',"receipt":{"number":%s,"previous":"%s","balanceNanos":"%s","hash":"%s"%s}}',
    number, previous, balance, hash, replaces and ',"replaces":"' .. replaces .. '"' or '')
  redis.call('HSET', keys.credits, operation, recorded)
  redis.call('XADD', keys.outbox, '*', 'credit', recorded)
end
