--[[ An account's money as a script works with it: read with one command, written with one (amounts.lua comes before
     this). Nil where there is no such account. A hold moves between two fields, a receipt needs all of them. ]]
local function read_held(key)
  local found = redis.call('HMGET', key, 'available', 'held')
  return found[1] and {key = key, available = found[1], held = found[2] or '0'} or nil
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
-- Gives what a call had put aside back to what is available.
local function free(state, nanos)
  state.held, state.available = subtract(state.held, nanos), add(state.available, nanos)
end
