-- Returns the given time in ms, or the time of Redis' clock.
local function clock(given)
  if given then return given end
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
