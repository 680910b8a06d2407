--[[ Amounts: whole nano-dollars as decimal strings, below zero with a sign. A Lua number is exact to 2^53 only: where
     an amount has more digits, its last nine are added apart from the others. ]]
local exact, part = 15, 1000000000
local function halves(text)
  local sign, digits = 1, text
  if string.byte(text) == 45 then sign, digits = -1, string.sub(text, 2) end
  return sign * (tonumber(string.sub(digits, 1, -10)) or 0), sign * tonumber(string.sub(digits, -9))
end
local function add(a, b)
  if #a <= exact and #b <= exact then return string.format('%d', a + b) end
  local high, low = halves(a)
  local more_high, more_low = halves(b)
  high, low = high + more_high, low + more_low
  local carry = math.floor(low / part)
  high, low = high + carry, low - carry * part -- low is not below zero now, high may be
  local sign = ''
  if high < 0 then
    sign = '-'
    if low == 0 then high = -high else high, low = -high - 1, part - low end
  end
  if high == 0 then return low == 0 and '0' or string.format('%s%d', sign, low) end
  return string.format('%s%d%09d', sign, high, low)
end
local function is_negative(amount) return string.byte(amount) == 45 end
local function negated(amount)
  if amount == '0' then return amount end
  return is_negative(amount) and string.sub(amount, 2) or '-' .. amount
end
local function subtract(a, b)
  if #a <= exact and #b <= exact then return string.format('%d', a - b) end
  return add(a, negated(b))
end
-- Neither of them below zero, without leading zeros: the longer is the greater.
local function greater(a, b) return #a > #b or (#a == #b and a > b) end
