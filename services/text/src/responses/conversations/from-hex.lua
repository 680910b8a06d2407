-- Returns the bytes of a hexadecimal text. Arguments of scripts are text, and encrypted metadata is not.
local function fromHex(text)
  return (text:gsub('..', function(byte) return string.char(tonumber(byte, 16)) end))
end
