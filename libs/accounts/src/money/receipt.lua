--[[ Adds a receipt to an account's chain, after the money was moved; shared by all scripts that move money for good.
  account (hash: head, the hash of the newest receipt; receipts, how many)   amount (nanos, signed)   entry (JSON)
  Returns number, hash of the receipt before, balance after it, hash: all strings ]]
local function add_receipt(account, amount, entry)
  local found = redis.call('HMGET', account, 'available', 'held', 'head')
  local balance, previous = found[1], found[3] or ''
  if found[2] ~= '0' then -- added by Redis: a Lua number is exact to 2^53 only
    redis.call('HSET', account, 'balance', balance)
    redis.call('HINCRBY', account, 'balance', found[2])
    balance = redis.call('HGET', account, 'balance')
  end
  local number = string.format('%.0f', redis.call('HINCRBY', account, 'receipts', 1))
  local hash = redis.sha1hex(table.concat({previous, number, amount, balance, entry}, '\n'))
  redis.call('HSET', account, 'head', hash)
  return number, previous, balance, hash
end
