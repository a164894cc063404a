/// The options of the tool, in the order of the help. ``entry`` has the facts about each.
enum Option: CaseIterable {
    // Request
    case url, globOff, next, configuration, disable, parallel, maxParallel, method, header, userAgent, referer
    case cookie, cookieJar, junkSessionCookies, user, bearer, sensitive
    case data, dataBinary, dataRaw, dataEncoded, get, json, form, formString, upload, range, continueAt, compressed
    // Response
    case output, remoteName, remoteHeaderName, outputFolder, createFolders, include, head, dumpHeads, remoteTime
    case fail, failWithBody, failEarly, noBuffer, writeOut, maxBytes, location, maxRedirects
    // Time
    case timeout, connectTimeout, maxTime, limitRate, retry, retryRefused, retryDelay, cache, staleIfError
    // Feeds
    case lastEventID, cursor, reconnectDelay, readTimeout, noReconnect, repeated, comments, every
    // WebSockets
    case subprotocol, ping, binary, echo, linger, reconnect
    // Downloads
    case checksum
    // Connection
    case proxy, noProxy, resolve, ipv4, ipv6, timeCondition, pathAsIs, trustFile, insecure, certificate, key,
        keyPassword
    case http1, http2, http2PriorKnowledge, unixSocket
    // Display
    case progress, progressBar, events, verbose, silent, showError, help, version, completionScript, manual

    init?(name: String) {
        guard let option = Self.byName[name] else { return nil }
        self = option
    }

    private static let byName = Dictionary(
        uniqueKeysWithValues: allCases.flatMap { option in option.entry.names.map { ($0, option) } })

    /// A question for the option that a misspelt one resembles; empty if there is none.
    static func hint(for name: String) -> String {
        guard name.count > 3 else { return "" }
        let near = allCases.compactMap { option in
            option.entry.names.first { $0.hasPrefix(name) || $0.count > 2 && name.hasPrefix($0) }
        }
        return near.isEmpty ? "" : "; did you mean \(near.joined(separator: " or "))?"
    }
}

extension Option {
    var takesValue: Bool { entry.value != nil && !mayHaveNumber }

    /// Whether the value is sent or written, and so need not be UTF-8.
    var takesBytes: Bool { entry.takesBytes }

    /// Whether a number may follow the option's long name, if it takes no value otherwise. curl's `--parallel` has none.
    var mayHaveNumber: Bool { entry.value == "[N]" }

    /// The commands that have the option.
    var commands: Set<Command> { entry.commands }
}

/// An option of the command line with its name as written, for messages.
struct NamedOption {
    let option: Option
    let name: String

    init(_ name: String) throws(UsageError) {
        guard let option = Option(name: name) else {
            throw UsageError("unknown option \(name)\(Option.hint(for: name))")
        }
        self.option = option
        self.name = name
    }

    /// Checks that a command has the option.
    func check(for command: Command) throws(UsageError) {
        let commands = option.commands
        guard !commands.contains(command) else { return }
        guard !commands.contains(.request) else { throw UsageError("\(command.name) has no \(name)") }
        throw UsageError("\(name) needs \(commands.map(\.name).sorted().joined(separator: " or "))")
    }
}
