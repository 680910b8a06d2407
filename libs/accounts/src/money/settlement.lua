--[[ The step of every settlement, shared by settle.lua and tasks/advance.lua: takes the true cost of a call, releases
     the remaining hold, and writes the usage event to the outbox. The hold is deleted, so that a
     second settlement does not find it. Requires clock.lua, account-state.lua, minute.lua and budgets.lua.
  keys: {account, hold, holds, outbox, budgets, late: stream that reports calls without a hold; nil: they are not reported}
  call: {id, cost (nanos), event (JSON without its cost), tokens (used), nowMs, onlyIfExpired, runIds: see settle.lua}
  Returns {'settled', outbox entry, uncovered part of the cost, receipt} | {'gone'}: no hold | {'leased'}: the lease
    has not expired | {'other-run'} ]]
local function settlement(keys, call)
  local cost, event = call.cost, call.event
  local found, state = redis.call('HMGET', keys.hold, 'nanos', 'tokens', 'limit', 'bucket', 'lines'), read_account(keys.account)
  local held = found[1]
  if not held or not state then
    -- The call was settled before, or Redis has lost its hold. The ledger checks this in the books.
    if keys.late then redis.call('XADD', keys.late, 'MAXLEN', '~', '100000', '*', 'event', event, 'cost', cost) end
    return {'gone'}
  end
  if call.onlyIfExpired and tonumber(redis.call('ZSCORE', keys.holds, call.id) or 0) > clock(call.nowMs) then
    return {'leased'}
  end
  -- After a restart or a failover, the server may still have the hold of a call that was settled before.
  if call.runIds and not string.find(call.runIds, string.match(redis.call('INFO', 'server'), 'run_id:(%w+)'), 1, true) then
    return {'other-run'}
  end
  redis.call('DEL', keys.hold)
  redis.call('ZREM', keys.holds, call.id)

  -- The held amount pays for the call, even if the balance is negative after a restore.
  local isInDebt = is_negative(state.available)
  if held ~= '0' then release_held(state, held) end
  local missing = subtract(cost, isInDebt and held or state.available)
  local uncovered = is_negative(missing) and '0' or missing
  local taken = uncovered == '0' and cost or subtract(cost, uncovered)
  if taken ~= '0' then state.available, state.spent = subtract(state.available, taken), add(state.spent, taken) end

  correct_tokens(found[4], tonumber(found[3]), tonumber(found[2]) - call.tokens, call.nowMs)
  -- The cost belongs to the periods of the hold.
  correct_budgets(keys.budgets, found[5], subtract(taken, held))
  local number, previous, balance, hash = add_receipt(state, negated(taken), event)
  write_account(state)
  local entry = redis.call('XADD', keys.outbox, '*', 'event', event, 'cost', cost, 'uncovered', uncovered,
    'number', number, 'previous', previous, 'balance', balance, 'hash', hash)
  return {'settled', entry = entry, uncovered = uncovered,
    number = number, previous = previous, balance = balance, hash = hash}
end
