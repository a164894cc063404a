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
            case .tour: status = await Tour().run()
            case .help: status = Help.print()
            case .version: status = Help.printVersion()
            case .request(let arguments): status = await RequestCommand(arguments, console: console).run()
            }
        } catch {
            console.say("streams: \(error). See streams --help.")
            status = .usage
        }
        exit(status.rawValue)
    }
}
