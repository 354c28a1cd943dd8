-- Posts the file that the first argument names, as the type that the second one names.
wrk.method = "POST"

function init(arguments)
    local file = io.open(arguments[1], "rb")
    wrk.body = file:read("*a")
    file:close()
    wrk.headers["Content-Type"] = arguments[2] or "application/octet-stream"
end
