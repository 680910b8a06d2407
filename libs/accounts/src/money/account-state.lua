--[[ Functions that read and write an account's money, each with one command. Requires amounts.lua. The readers return
     nil if the account does not exist. `read_held` reads the fields that a hold needs, `read_account` those that a
     receipt needs.
  budgets: version of the account's budgets ]]
local function read_held(key)
  local found = redis.call('HMGET', key, 'available', 'held', 'budgets', 'disabled')
  return found[1] and {key = key, available = found[1], held = found[2] or '0', budgets = found[3] or '',
    disabled = found[4]} or nil
end
local function write_held(state)
  redis.call('HSET', state.key, 'available', state.available, 'held', state.held)
end
local function read_account(key)
  local found = redis.call('HMGET', key, 'available', 'held', 'credited', 'spent', 'receipts', 'head')
  if not found[1] then return nil end
  return {key = key, available = found[1], held = found[2] or '0', credited = found[3] or '0', spent = found[4] or '0',
    receipts = tonumber(found[5] or 0), head = found[6] or ''}
end
local function write_account(state)
  redis.call('HSET', state.key, 'available', state.available, 'held', state.held, 'credited', state.credited,
    'spent', state.spent, 'receipts', string.format('%d', state.receipts), 'head', state.head)
end
-- Makes an amount that was held for a call available again.
local function release_held(state, nanos)
  state.held, state.available = subtract(state.held, nanos), add(state.available, nanos)
end
--[[ Adds a receipt to an account's chain. The caller has changed the amounts in `state` before, and writes it
     afterwards.
  state: the account's   amount: nanos, signed   entry: JSON
  Returns the receipt's number, the hash of the previous receipt, the new balance, and the receipt's hash, all as
    strings ]]
local function add_receipt(state, amount, entry)
  local previous, balance = state.head, add(state.available, state.held)
  state.receipts = state.receipts + 1
  local number = string.format('%d', state.receipts)
  state.head = redis.sha1hex(table.concat({previous, number, amount, balance, entry}, '\n'))
  return number, previous, balance, state.head
end
--[[ Records a change of a balance. The caller has changed the amounts in `state` before.
  state: the account's   keys: {credits, outbox}   operation: id   nanos: may be negative   entry: JSON object
  replaces: hash of the lost receipt of the change, or nil ]]
local function record_credit(state, keys, operation, nanos, entry, replaces)
  local number, previous, balance, hash = add_receipt(state, nanos, entry)
  local recorded = string.sub(entry, 1, -2) .. string.format(
    ',"receipt":{"number":%s,"previous":"%s","balanceNanos":"%s","hash":"%s"%s}}',
    number, previous, balance, hash, replaces and ',"replaces":"' .. replaces .. '"' or '')
  redis.call('HSET', keys.credits, operation, recorded)
  redis.call('XADD', keys.outbox, '*', 'credit', recorded)
end
