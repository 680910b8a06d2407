--[[ Records a change of a balance that has just been made (receipt.lua comes before this).
  keys {account, credits, outbox}   operation id   nanos, may be negative   entry (JSON object) ]]
local function record_credit(keys, operation, nanos, entry)
  local number, previous, balance, hash = add_receipt(keys.account, nanos, entry)
  local recorded = string.sub(entry, 1, -2) .. string.format(
    ',"receipt":{"number":%s,"previous":"%s","balanceNanos":"%s","hash":"%s"}}',
    number, previous, balance, hash)
  redis.call('HSET', keys.credits, operation, recorded)
  redis.call('XADD', keys.outbox, '*', 'credit', recorded)
end
