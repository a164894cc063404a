import StreamsHTTP

/// The command-line tool `streams`.
@main
struct StreamsTool {
    static func main() async {
        StandardDescriptors.prepare()
        let console = Console(STDERR_FILENO)
        var status: ExitStatus
        do throws(UsageError) {
            let words = CommandLine.words
            CommandLine.hideSecrets()
            let invocation = try Invocation(words)
            status = await run(invocation, console)
            if let cookies = invocation.cookies { status = save(cookies, after: status, console) }
            for request in invocation.requests { await request.cache.responses?.synchronize() }
        } catch {
            let text = error.description
            console.say("streams: \(text)\(text.hasSuffix("?") ? "" : ".") See streams --help.")
            status = error.status
        }
        exit(status.rawValue)
    }

    private static func run(_ invocation: Invocation, _ console: Console) async -> ExitStatus {
        #if !canImport(CLibcurl)
        if case .tour = invocation {
            console.say("streams: the tour makes requests, and this tool was built without libcurl")
            return .notBuiltIn
        }
        #endif
        invocation.requests.first { $0.proxy == nil }?.setProxyExceptions()
        return switch invocation {
        case .tour: await Tour().run()
        case .document(let document): document.print()
        case .request(let requests): await RequestCommand(requests, console: console).run()
        case .download(let arguments): await DownloadCommand(arguments, console: console).run()
        case .webSocket(let arguments): await WebSocketCommand(arguments, console: console).run()
        case .feed(let arguments): await FeedCommand(arguments, console: console).run()
        }
    }

    private static func save(_ cookies: CookieArguments, after status: ExitStatus, _ console: Console) -> ExitStatus {
        do throws(SystemError) {
            try cookies.save()
            return status
        } catch {
            guard !error.isClosedPipe else { return status }
            console.say("streams: \(error)")
            return status == .success ? .writeFailed : status
        }
    }
}
