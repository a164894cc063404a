import StreamsHTTP

/// What `--help` and `--version` say.
enum Help {
    static func print() -> ExitStatus {
        write(text)
    }

    static func printVersion() -> ExitStatus {
        write("streams \(HTTPClient.version) (\(CurlTransport.libraryVersion))\n")
    }

    private static func write(_ text: String) -> ExitStatus {
        do throws(SystemError) {
            try Descriptor.standardOutput.writeAll(Data(text.utf8))
            return .success
        } catch {
            return error.isClosedPipe ? .success : .writeFailed
        }
    }

    static let text = """
        Usage: streams [METHOD] URL [OPTION]...
               streams tour                what the library does, live; also without any argument

        Sends one request and writes the body of the response to standard output.
        METHOD is GET, or POST where there is a body.

        Request
          -H 'Name: value'         send a header; repeatable
          --sensitive NAME         keep this header from other origins and from -v; repeatable.
                                   Authorization and Cookie are kept in any case
          -d TEXT|@FILE|@-         send a body: a text, a file, or standard input
          --json TEXT|@FILE|@-     the same, as JSON

        Response
          -o FILE                  write the body to a file: whole or not at all
          --max-bytes N            fail when the decoded body is larger
          --max-redirects N        follow at most N redirects (10)

        Time
          --timeout S              fail when the peer keeps silent for S seconds (60)
          --connect-timeout S      fail when connecting takes longer (30)
          --max-time S             fail when everything together takes longer; 0 means no limit
          --retry N                repeat failed attempts where it is safe

        Connection
          --cacert FILE            trust the authorities in a PEM file
          --insecure               trust any certificate
          --http1, --http2         speak this version
          --unix-socket PATH       connect to a unix-domain socket

        Display
          --progress auto|always|never
          --events                 print every event as a line of JSON instead of the body
          -v                       tell about requests, responses and retries
          --help, --version

        Exit status: 0; 1 scheme not supported; 2 wrong usage; 3 malformed URL; 5, 6 proxy or host
        not resolved; 7 not connected; 8 the reply is not HTTP; 18 body ended early; 22 status 400 or
        above; 23 local write failed; 26 local read failed; 27 out of resources; 28 timeout; 35 TLS
        handshake failed; 47 too many redirects; 52 empty reply; 55, 56 sending or receiving failed;
        60 certificate not trusted; 61 content encoding not decodable; 63 larger than --max-bytes;
        65 body cannot be sent again; 70 the tour failed; 77 --cacert not usable; 129, 130, 143 ended
        by SIGHUP, SIGINT or SIGTERM; else a code of libcurl's.

        """
}
