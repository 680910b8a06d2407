--[[ Writes down a change of a balance that has just been made (receipt.lua comes before this).
  account   credits of the account   outbox of the shard   operation id   nanos, may be negative   entry (JSON object)
  hash of the receipt that it had before, nil or "": none ]]
local function record_credit(account, credits, outbox, operation, nanos, entry, replaces)
  local number, previous, balance, hash = receipt(account, nanos, entry)
  local told = string.sub(entry, 1, -2) .. string.format(
    ',"receipt":{"number":%s,"previous":"%s","balanceNanos":"%s","hash":"%s"%s}}', number, previous, balance, hash,
    (replaces or '') ~= '' and ',"replaces":"' .. replaces .. '"' or '')
  redis.call('HSET', credits, operation, told)
  redis.call('XADD', outbox, '*', 'credit', told)
end
