--[[ Functions for the budgets of a call. Requires amounts.lua. One hash has the states of all budgets of an account, so
     that one command reads those of a call, and one writes them. Another hash, which all accounts of an
     organisation share, has the states of the organisation's budgets. The accounts are on the same shard.
  lines: six lines for each budget: id, number of the period of the call, amount of a period (nanos),
    maximum that rolls over to the next period (nanos; '' if nothing does), mode ('hard' or 'soft'), and one of these:
    the owner of an organisation's budget ('organisation:ID', the end of the shared hash's name); for the budget of a key
    or a group, where an earlier version stored the spending: the end of the hash's name and the field, separated by a space; ''
  budgets hash: id -> state: number of the latest period, amount spent and held in it (nanos), number of the period in
    which the budget was used before (0 if in none), amount left of that period (nanos, negative if exceeded) ]]
local max_skipped = 400 -- maximum periods without use whose amounts roll over
-- Returns the name of the hash with the state of a budget. `place`: the sixth line of the budget.
local function hash_of(key, place)
  local owner = string.match(place, '^organisation:%S+$')
  return owner and string.match(key, '^.-}:') .. owner or key
end
local function read_budgets(key, lines)
  if not lines or lines == '' then return {} end
  local budgets, keys, ids = {}, {}, {}
  local pattern = '([^\n]+)\n(%d+)\n(%d+)\n(%d*)\n(%l+)\n([^\n]*)\n'
  for id, period, amount, cap, mode, place in string.gmatch(lines, pattern) do
    local hash = hash_of(key, place)
    if not ids[hash] then keys[#keys + 1], ids[hash] = hash, {} end
    table.insert(ids[hash], id)
    budgets[#budgets + 1] = {id = id, key = hash, at = #ids[hash], period = tonumber(period), amount = amount, cap = cap,
      is_hard = mode == 'hard', former = place}
  end
  local states = {}
  for _, hash in ipairs(keys) do states[hash] = redis.call('HMGET', hash, unpack(ids[hash])) end
  for _, budget in ipairs(budgets) do
    local state = states[budget.key][budget.at] or ''
    local latest, spent, before, left = string.match(state, '^(%d+) (-?%d+) (%d+) (-?%d+)$')
    budget.latest, budget.spent, budget.before, budget.left = tonumber(latest), spent, tonumber(before), left
  end
  return budgets
end
-- Returns the amount that rolled over to the latest period: what was left of the last used period before it (0 if
-- exceeded), plus the amounts of the unused periods between them, at most `cap`.
local function carried(budget)
  if budget.cap == '' or budget.before == 0 then return '0' end
  local carry = is_negative(budget.left) and '0' or budget.left
  for _ = 2, math.min(budget.latest - budget.before, max_skipped) do
    if greater(carry, budget.cap) then break end
    carry = add(carry, budget.amount)
  end
  return greater(carry, budget.cap) and budget.cap or carry
end
local function left_of(budget)
  return subtract(add(budget.amount, carried(budget)), budget.spent)
end
-- Returns the spending of a key or a group that an earlier version stored for the period of a call.
local function former_spent(budget)
  local date, field = string.match(budget.former, '^(%S+) (.+)$')
  return date and redis.call('HGET', budget.key .. ':' .. date, field) or '0'
end
-- Begins the period of a call, unless it has begun.
local function begin_period(budget)
  if not budget.latest then
    budget.latest, budget.spent = budget.period, former_spent(budget)
    budget.before, budget.left, budget.is_changed = 0, '0', true
  elseif budget.period > budget.latest then
    budget.left, budget.before = left_of(budget), budget.latest
    budget.latest, budget.spent = budget.period, '0'
  end
end
-- Adds an amount, which may be negative, to the spending in the period of a call. Does nothing if that is neither the
-- latest period nor the one that was used before, because only these two have totals.
local function add_spent(budget, nanos)
  if budget.period == budget.latest then budget.spent = add(budget.spent, nanos)
  elseif budget.period == budget.before then budget.left = subtract(budget.left, nanos)
  else return end
  budget.is_changed = true
end
local function is_exceeded(budget)
  return is_negative(left_of(budget)) or (budget.period == budget.before and is_negative(budget.left))
end
local function least(a, b) return is_negative(subtract(a, b)) and a or b end
-- Takes an amount from all budgets of a call, without writing them. If a hard budget does not cover it, returns its
-- index, what is left of it, and the least that is left of any hard budget.
local function take_from_budgets(budgets, nanos)
  local exceeded, left_of_exceeded, least_left
  for at, budget in ipairs(budgets) do
    begin_period(budget)
    if nanos ~= '0' then
      local left = left_of(budget)
      add_spent(budget, nanos)
      if budget.is_hard then
        least_left = least(left, least_left or left)
        if not exceeded and is_exceeded(budget) then exceeded, left_of_exceeded = at, left end
      end
    end
  end
  return exceeded, left_of_exceeded, least_left
end
local function write_budgets(budgets)
  local keys, states = {}, {}
  for _, budget in ipairs(budgets) do
    if budget.is_changed then
      local key = budget.key
      if not states[key] then keys[#keys + 1], states[key] = key, {} end
      table.insert(states[key], budget.id)
      table.insert(states[key],
        string.format('%.0f %s %.0f %s', budget.latest, budget.spent, budget.before, budget.left))
    end
  end
  for _, key in ipairs(keys) do redis.call('HSET', key, unpack(states[key])) end
end
-- Reads those budgets of an open call that have a state. A budget without one was removed, or Redis has lost it.
local function read_stored_budgets(key, lines)
  local known = {}
  for _, budget in ipairs(read_budgets(key, lines)) do
    if budget.latest then known[#known + 1] = budget end
  end
  return known
end
-- Adds an amount, which may be negative, to the budgets of a call, even if that exceeds them.
local function add_to_budgets(budgets, nanos)
  for _, budget in ipairs(budgets) do
    begin_period(budget)
    add_spent(budget, nanos)
  end
  write_budgets(budgets)
end
local function correct_budgets(key, lines, nanos)
  if nanos == '0' or not lines or lines == '' then return end
  add_to_budgets(read_stored_budgets(key, lines), nanos)
end
