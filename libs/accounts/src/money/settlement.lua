--[[ The step of every settlement, shared by settle.lua and tasks/advance.lua: takes a call's true cost, gives the rest of
     its hold back, and writes the usage event to the outbox. Exactly once: the hold is deleted, so a second settlement
     finds it gone (clock.lua, account-state.lua, minute.lua and budgets.lua come before this).
  keys {account, hold, holds, outbox, late: where a call without its hold is reported, nil: nowhere}
  call {id, cost (nanos), event (JSON without its cost), tokens (used), nowMs, onlyIfExpired, onlyOn: runs of servers}
  Returns {'settled', outbox entry, what the account could not cover, and the receipt} | {'gone'} | {'leased'} | {'unsure'} ]]
local function settlement(keys, call)
  local cost, event = call.cost, call.event
  local found, state = redis.call('HMGET', keys.hold, 'nanos', 'tokens', 'limit', 'bucket', 'budgets'), read_account(keys.account)
  local held = found[1]
  if not held or not state then
    -- Swept, settled before, or lost with a Redis: the ledger knows from the books.
    if keys.late then redis.call('XADD', keys.late, 'MAXLEN', '~', '100000', '*', 'event', event, 'cost', cost) end
    return {'gone'}
  end
  if call.onlyIfExpired and tonumber(redis.call('ZSCORE', keys.holds, call.id) or 0) > clock(call.nowMs) then
    return {'leased'}
  end
  -- Another run of the server, or another server, may have lost the settlement of a call whose hold it has.
  if call.onlyOn and not string.find(call.onlyOn, string.match(redis.call('INFO', 'server'), 'run_id:(%w+)'), 1, true) then
    return {'unsure'}
  end
  redis.call('DEL', keys.hold)
  redis.call('ZREM', keys.holds, call.id)

  -- What was held for the call pays for it, also where the account owes something since a Redis was lost.
  local isOwing = is_negative(state.available)
  if held ~= '0' then free(state, held) end
  local missing = subtract(cost, isOwing and held or state.available)
  local uncovered = is_negative(missing) and '0' or missing
  local taken = uncovered == '0' and cost or subtract(cost, uncovered)
  if taken ~= '0' then state.available, state.spent = subtract(state.available, taken), add(state.spent, taken) end

  correct_tokens(found[4], tonumber(found[3]), tonumber(found[2]) - call.tokens, call.nowMs)
  -- Of the periods in which the hold was made; the totals of a past period have expired.
  change_budgets(budgets_of(found[5]), subtract(taken, held))
  local number, previous, balance, hash = add_receipt(state, negated(taken), event)
  write_account(state)
  local entry = redis.call('XADD', keys.outbox, '*', 'event', event, 'cost', cost, 'uncovered', uncovered,
    'number', number, 'previous', previous, 'balance', balance, 'hash', hash)
  return {'settled', entry = entry, uncovered = uncovered,
    number = number, previous = previous, balance = balance, hash = hash}
end
