-- The time in ms: the one given, or Redis' own.
local function clock(given)
  if given then return given end
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
