extension Option {
    /// The facts about an option that the parser, the help, the manual and the completions share.
    struct Entry {
        /// The names: the short one, if there is one, before the long ones.
        let names: [String]
        let section: Section
        /// The placeholder of the value, with bars between alternatives; `nil` if the option takes none. `[N]` is a number
        /// that may be left out.
        let value: String?
        /// Whether the value is sent or written, and so need not be UTF-8.
        let takesBytes: Bool
        /// The commands that have the option.
        let commands: Set<Command>
        /// The description, of which the first clause is a summary.
        let text: String

        /// - Parameters:
        ///   - names: The names, separated by spaces.
        ///   - value: The placeholder of a value that has to be UTF-8.
        ///   - bytes: The placeholder of a value that need not be UTF-8.
        init(
            _ names: String, _ section: Section, value: String? = nil, bytes: String? = nil,
            for commands: Set<Command> = Command.all, _ text: String
        ) {
            self.names = names.split(separator: " ").map(String.init)
            self.section = section
            self.value = value ?? bytes
            takesBytes = bytes != nil
            self.commands = commands
            self.text = text
        }
    }

    /// A group of options in the help.
    enum Section: CaseIterable {
        case request, response, time, feeds, webSockets, downloads, connection, display
    }
}

// Line breaks in these texts have no meaning.
extension Option {
    var entry: Entry {
        switch self {
        // MARK: Request
        case .url:
            Entry(
                "--url", .request, bytes: "URL",
                "a URL, also one that is named like a command or a method; repeatable")
        case .globOff: Entry("-g --globoff", .request, "take braces and brackets of URLs as they are")
        case .next:
            Entry(
                "-: --next", .request, for: [.request],
                """
                begin with the options anew, for the URLs that follow. -Z, -v, -s, -S, --events and the progress are those
                of all
                """)
        case .configuration:
            Entry(
                "-K --config", .request, value: "FILE|-",
                """
                read options, one a line: a long name without dashes, and a value after a blank, = or :, which is in quotes
                if it has blanks; # begins a comment
                """)
        case .disable: Entry("-q --disable", .request, "read no other file of options, as in any case")
        case .parallel:
            Entry(
                "-Z --parallel", .request, value: "[N]", for: Command.transfers,
                """
                make the requests or the downloads at the same time, without a progress of each request; N after the long
                name is that of --parallel-max
                """)
        case .maxParallel:
            Entry(
                "--parallel-max", .request, value: "N", for: Command.transfers,
                "make at most N requests (50) or downloads (4) at the same time")
        case .method:
            Entry(
                "-X --request", .request, value: "METHOD", for: Command.all.subtracting([.webSocket]),
                """
                send this method, which may also stand before the URL. By default, it is HEAD with -I, PUT with -T, GET with
                -G or without a body, else POST
                """)
        case .header:
            Entry(
                "-H --header", .request, bytes: "'Name: value'|'Name:'|'Name;'|@FILE|@-",
                """
                send a header, none of that name, or an empty one; those of a file or of standard input, one a line;
                repeatable
                """)
        case .userAgent:
            Entry("-A --user-agent", .request, bytes: "TEXT", "send this User-Agent; none if it is empty")
        case .referer: Entry("-e --referer", .request, bytes: "URL", "send this Referer")
        case .cookie:
            Entry(
                "-b --cookie", .request, bytes: "'NAME=VALUE; ...'|FILE",
                """
                send these cookies, or those of a file; it is in Netscape's format or has the heads of responses, and those
                that responses set are sent, too; "" is no file, and - standard input; repeatable
                """)
        case .cookieJar:
            Entry(
                "-c --cookie-jar", .request, value: "FILE|-",
                "write all cookies at the end. If -b names the file too, several runs at a time may share it")
        case .junkSessionCookies:
            Entry("-j --junk-session-cookies", .request, "take no cookies of sessions from the files")
        case .user:
            Entry(
                "-u --user", .request, bytes: "USER:PASSWORD",
                "send the credentials (Basic), unless -H gives an Authorization")
        case .bearer:
            Entry("--oauth2-bearer", .request, value: "TOKEN", "send the token (Bearer) instead of credentials")
        case .sensitive:
            Entry(
                "--sensitive", .request, value: "NAME",
                """
                keep this header from other origins, from -v and from --events; repeatable. Authorization and Cookie are
                kept in any case
                """)
        case .data:
            Entry(
                "-d --data --data-ascii", .request, bytes: "TEXT|@FILE|@-", for: Command.withBody,
                """
                send a text, a file or standard input; several are joined with &. CR, LF and NUL of files and standard
                input are left out
                """)
        case .dataBinary:
            Entry(
                "--data-binary", .request, bytes: "TEXT|@FILE|@-", for: Command.withBody,
                "send data as -d does, but unchanged")
        case .dataRaw:
            Entry(
                "--data-raw", .request, bytes: "TEXT", for: Command.withBody,
                "send data as -d does, but without a meaning of @")
        case .dataEncoded:
            Entry(
                "--data-urlencode", .request, bytes: "TEXT|=TEXT|NAME=TEXT|@FILE|NAME@FILE", for: Command.withBody,
                "send data as -d does, but percent-encoded")
        case .get:
            Entry("-G --get", .request, for: Command.withBody, "add the data to the URL's query instead of sending it")
        case .json:
            Entry("--json", .request, bytes: "TEXT|@FILE|@-", for: Command.withBody, "send a body, as JSON")
        case .form:
            Entry(
                "-F --form", .request, bytes: "NAME=TEXT|NAME=@FILE,FILE|NAME=<FILE", for: Command.withBody,
                """
                send a part of a multipart form: a text, uploaded files, or a text in a file; ;type=TYPE and
                ;filename=NAME may follow; repeatable
                """)
        case .formString:
            Entry(
                "--form-string", .request, bytes: "NAME=TEXT", for: Command.withBody,
                "send a part as -F does, but without a meaning of @, < and ;")
        case .upload:
            Entry(
                "-T --upload-file", .request, value: "FILE|-", for: Command.withBody,
                """
                send a file or standard input with PUT; the file's name is added to a URL that ends in a slash
                """)
        case .range:
            Entry(
                "-r --range", .request, value: "RANGES", for: [.request],
                "request ranges of bytes, as in 0-499 or -500")
        case .continueAt:
            Entry(
                "-C --continue-at", .request, value: "N|-", for: Command.transfers,
                """
                request what follows N bytes, or the bytes of the output, and append it. Downloads accept -, and are
                resumed in any case
                """)
        case .compressed:
            Entry(
                "--compressed", .request, for: Command.all.subtracting([.download, .webSocket]),
                """
                request a compressed body, and decode it; so it is without this option, too, unless -r, -C or
                -H Accept-Encoding asks for what is stored, but not for sse and lines, whose elements a proxy would hold
                back
                """)

        // MARK: Response
        case .output:
            Entry(
                "-o --output", .response, value: "FILE", for: Command.transfers,
                """
                write the body to a file: whole or not at all; - is standard output. Several are for the URLs in their
                order; the rest go to standard output. #1 is the text of the first pattern of the URL. With download, there
                is one for each URL, or none: the names are those in the URLs, decoded
                """)
        case .remoteName:
            Entry(
                "-O --remote-name", .response, for: Command.transfers,
                """
                write the body to a file with the name that the URL ends in, as download does in any case
                """)
        case .remoteHeaderName:
            Entry(
                "-J --remote-header-name", .response, for: [.request],
                """
                with -O, prefer the name that the response gives. It is a new file in the current folder
                """)
        case .outputFolder:
            Entry(
                "--output-dir", .response, value: "DIR", for: Command.transfers,
                "write the files of -o, -O and -J to this folder")
        case .createFolders:
            Entry(
                "--create-dirs", .response, for: Command.transfers,
                "create the folders of these files, and of that of -D")
        case .include:
            Entry(
                "-i --include --show-headers", .response, for: [.request],
                "write the head before the body, after those of redirects")
        case .head: Entry("-I --head", .response, for: [.request], "send HEAD, and write the head")
        case .dumpHeads:
            Entry(
                "-D --dump-header", .response, value: "FILE|-",
                "write the heads of all responses, those of redirects and retries too, and their trailers")
        case .remoteTime:
            Entry(
                "-R --remote-time", .response, for: [.request],
                "give the file the time at which the server says that its content has changed")
        case .fail: Entry("-f --fail", .response, "write nothing of a response with status 400 or above")
        case .failWithBody:
            Entry(
                "--fail-with-body", .response, for: [.request],
                "write the body of a response with status 400 or above, which is the default")
        case .failEarly:
            Entry("--fail-early", .response, for: [.request], "send no more requests after one that fails")
        case .noBuffer: Entry("-N --no-buffer", .response, "write what has arrived at once, which is the default")
        case .writeOut:
            Entry(
                "-w --write-out", .response, bytes: "FORMAT|@FILE|@-", for: [.request],
                """
                write text after the body. It may contain \\n, \\r, \\t, %% and variables: %header{NAME} and %{NAME} with
                cache_status content_type errormsg exitcode filename_effective header_json http_code http_version json method
                num_connects num_headers num_redirects num_retries onerror redirect_url remote_ip remote_port response_code
                scheme size_download size_header size_request size_upload speed_download speed_upload stderr stdout
                time_appconnect time_connect time_namelookup time_pretransfer time_redirect time_starttransfer time_total
                url url_effective
                """)
        case .maxBytes:
            Entry(
                "--max-bytes --max-filesize", .response, value: "N",
                for: [.request, .download, .feed(.polls), .webSocket],
                "fail when the decoded body is larger, or a message of a WebSocket (16 MiB)")
        case .location: Entry("-L --location", .response, "follow redirects, which is the default")
        case .maxRedirects:
            Entry("--max-redirects --max-redirs", .response, value: "N", "follow at most N redirects (10)")

        // MARK: Time
        // A feed without an end has timeouts of its own. A poll is a request.
        case .timeout:
            Entry(
                "--timeout", .time, value: "S", for: [.request, .download, .feed(.polls)],
                "fail when the peer keeps silent for S seconds (60)")
        case .connectTimeout:
            Entry("--connect-timeout", .time, value: "S", "fail when connecting takes longer (30)")
        case .maxTime:
            Entry(
                "-m --max-time", .time, value: "S", for: [.request, .download, .feed(.polls)],
                "fail when everything together takes longer; 0 means no limit")
        case .limitRate:
            Entry(
                "--limit-rate", .time, value: "RATE", for: Command.transfers,
                "send and receive the body of each transfer with at most so many bytes a second; k, m, g, t or p may "
                    + "follow, as in 500k (powers of 1024); 0 means no limit")
        case .retry:
            Entry(
                "--retry", .time, value: "N", for: Command.transfers, "repeat failed attempts where it is safe")
        case .retryRefused:
            Entry(
                "--retry-connrefused", .time, for: Command.transfers,
                "repeat also after a refused connection, as is the default")
        case .retryDelay:
            Entry(
                "--retry-delay", .time, value: "S", for: Command.transfers,
                "wait S seconds before each retry; by default, the delays grow")

        case .cache:
            Entry(
                "--cache", .time, value: "FOLDER", for: [.request, .feed(.polls)],
                """
                answer with responses of this folder that are fresh, or that the server confirms, and store others there, up
                to 256 MiB, as the servers allow (RFC 9111)
                """)
        case .staleIfError:
            Entry(
                "--stale-if-error", .time, value: "S", for: [.request, .feed(.polls)],
                "answer with a response of --cache if the server fails, up to S seconds after it has become stale")

        // MARK: Feeds
        case .lastEventID:
            Entry(
                "--last-event-id", .feeds, value: "ID", for: [.feed(.serverSentEvents)],
                "resume after an event of an earlier run; -H Last-Event-ID: never resumes")
        case .cursor:
            Entry(
                "--cursor", .feeds, value: "NAME=MEMBER", for: [.feed(.lines)],
                """
                resume lines of JSON: the query's parameter NAME is set to this member of the last line; MEMBER.MEMBER is a
                member of an object
                """)
        case .reconnectDelay:
            Entry(
                "--reconnect-delay", .feeds, value: "S", for: Command.feeds.union([.webSocket]),
                "wait up to S seconds before the first reconnection (1), also of ws")
        case .readTimeout:
            Entry(
                "--read-timeout", .feeds, value: "S", for: [.feed(.serverSentEvents), .feed(.lines)],
                "connect again when the server keeps silent for S seconds (180)")
        case .noReconnect: Entry("--no-reconnect", .feeds, for: Command.feeds, "end with the first connection")
        case .repeated:
            Entry(
                "--repeated", .feeds, value: "drop|deliver", for: [.feed(.serverSentEvents)],
                """
                drop or deliver an event that is sent again after a reconnection, with the same ID and data (drop)
                """)
        case .comments:
            Entry("--comments", .feeds, for: [.feed(.serverSentEvents)], "print comments too, with --events")
        case .every:
            Entry("--every", .feeds, value: "S", for: [.feed(.polls)], "wait S seconds between two polls")

        // MARK: WebSockets
        case .subprotocol:
            Entry(
                "--protocol", .webSockets, value: "NAME", for: [.webSocket],
                "offer a subprotocol; repeatable, the preferred one first")
        case .ping:
            Entry(
                "--ping", .webSockets, value: "S", for: [.webSocket],
                "ping a peer that has been silent for S seconds (30); 0 means never")
        case .binary:
            Entry("--binary", .webSockets, for: [.webSocket], "send binary messages instead of texts")
        case .echo:
            Entry("--echo", .webSockets, for: [.webSocket], "send each message back, and read no standard input")
        case .linger:
            Entry(
                "--linger", .webSockets, value: "S", for: [.webSocket],
                """
                after the end of standard input, close when no message has come for S seconds (1; 0 if it is a terminal)
                """)
        case .reconnect:
            Entry(
                "--reconnect", .webSockets, for: [.webSocket],
                """
                connect again, as a feed does. The lines of standard input, if it is no terminal, are read first, and sent
                on each connection
                """)

        // MARK: Downloads
        case .checksum:
            Entry(
                "--checksum", .downloads, value: "sha256:HEX", for: [.download],
                "fail when the file has another checksum; repeatable, in the order of the URLs; sha512 too")

        // MARK: Connection
        case .proxy:
            Entry(
                "-x --proxy", .connection, bytes: "PROXY",
                "use a proxy: [SCHEME://][USER:PASSWORD@]HOST[:PORT], or \"\" for none")
        case .noProxy:
            Entry(
                "--noproxy", .connection, value: "HOST,...",
                "reach these hosts without a proxy, instead of those of no_proxy; * is all")
        case .resolve:
            Entry(
                "--resolve", .connection, value: "HOST:PORT:ADDRESS",
                "connect to this address for a host and port; repeatable")
        case .ipv4: Entry("-4 --ipv4", .connection, "connect to IPv4 addresses alone")
        case .ipv6: Entry("-6 --ipv6", .connection, "connect to IPv6 addresses alone")
        case .timeCondition:
            Entry(
                "-z --time-cond", .connection, value: "[-]DATE|FILE", for: [.request],
                "request what is newer than a date or a file, or older with a minus sign")
        case .pathAsIs: Entry("--path-as-is", .connection, "send the segments . and .. of a URL")
        case .trustFile: Entry("--cacert", .connection, value: "FILE", "trust the authorities in a PEM file")
        case .insecure: Entry("-k --insecure", .connection, "trust any certificate")
        case .certificate:
            Entry(
                "-E --cert", .connection, value: "FILE[:PASSWORD]", "present a client certificate, in PEM")
        case .key: Entry("--key", .connection, value: "FILE", "the key of the certificate, if another file has it")
        case .keyPassword: Entry("--pass", .connection, value: "PASSWORD", "the password of the key")
        case .http1: Entry("--http1 --http1.1", .connection, "speak HTTP/1.1")
        case .http2:
            Entry(
                "--http2", .connection, for: Command.all.subtracting([.webSocket]),
                "speak HTTP/2 over TLS, if the server does")
        case .http2PriorKnowledge:
            Entry(
                "--http2-prior-knowledge", .connection, for: Command.all.subtracting([.webSocket]),
                "speak HTTP/2 without TLS")
        case .unixSocket: Entry("--unix-socket", .connection, value: "FILE", "connect to a unix-domain socket")

        // MARK: Display
        case .progress:
            Entry(
                "--progress", .display, value: "auto|always|never", for: Command.transfers,
                "show the progress if it is a terminal to which the body is not written (auto), always or never")
        case .progressBar:
            Entry(
                "-# --progress-bar", .display, for: Command.transfers,
                "show the progress unless the body is written to a terminal")
        case .events: Entry("--events", .display, "print every event as a line of JSON instead of the body")
        case .verbose:
            Entry(
                "-v --verbose", .display,
                "tell about requests, with the fields that are sent, responses and retries")
        case .silent: Entry("-s --silent", .display, "show neither progress nor errors")
        case .showError: Entry("-S --show-error", .display, "with -s, show errors")
        case .help: Entry("-h --help", .display, "print this help, or with a command, its help")
        case .version: Entry("--version", .display, "print the versions of the tool and its libraries")
        case .completionScript:
            Entry(
                "--generate-completion-script", .display, value: "bash|zsh|fish",
                "print a script by which a shell completes words")
        case .manual: Entry("--generate-manual", .display, "print the manual page, for man")
        }
    }
}
