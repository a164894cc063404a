import StreamsHTTP

/// The command-line tool `streams`.
@main
struct StreamsTool {
    static func main() async {
        StandardDescriptors.prepare()
        let console = Console(STDERR_FILENO)
        let status: ExitStatus
        do throws(UsageError) {
            switch try Invocation(CommandLine.arguments.dropFirst()) {
            #if canImport(CLibcurl)
            case .tour: status = await Tour().run()
            #else
            case .tour:
                console.say("streams: the tour makes requests, and this tool was built without libcurl")
                status = .notBuiltIn
            #endif
            case .help: status = Help.print()
            case .version: status = Help.printVersion()
            case .request(let transfers): status = await RequestCommand(transfers, console: console).run()
            case .download(let arguments): status = await DownloadCommand(arguments, console: console).run()
            case .webSocket(let arguments): status = await WebSocketCommand(arguments, console: console).run()
            case .feed(let arguments): status = await FeedCommand(arguments, console: console).run()
            }
        } catch {
            let text = error.description
            console.say("streams: \(text)\(text.hasSuffix("?") ? "" : ".") See streams --help.")
            status = .usage
        }
        exit(status.rawValue)
    }
}
