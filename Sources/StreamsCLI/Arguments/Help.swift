import StreamsHTTP

/// The output of `--help` and `--version`.
enum Help {
    static func print() -> ExitStatus {
        write(text)
    }

    static func printVersion() -> ExitStatus {
        write("streams \(HTTPClient.version) (\(SystemTransport.runtime))\n")
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
        Usage: streams [METHOD] URL... [OPTION]...
               streams sse [METHOD] URL [OPTION]...     subscribe to server-sent events
               streams lines [METHOD] URL [OPTION]...   subscribe to the lines of a body without an end
               streams poll --every S URL [OPTION]...   request again and again, and write what changes
               streams ws URL [OPTION]...               send and receive the messages of a WebSocket
               streams download URL... [OPTION]...      download files, and resume what an earlier run has left
               streams tour                what the library does, live; also without any argument

        Sends one request for each URL, one after the other, and writes the bodies of the responses to
        standard output. A URL with {a,b}, [a-c], [1-100] or [001-100:10] stands for several. The options
        have the names of curl's, and do what curl's do: what they cannot do is refused. Short ones can be
        combined, as in -sk. The value of a long one follows a space or an equals sign.

        Request
          --url URL                a URL, also one that is named like a command or a method; repeatable
          -g, --globoff            take braces and brackets of URLs as they are
          -:, --next               begin with the options anew, for the URLs that follow. -Z, -v, -s, -S, --events
                                   and the progress are those of all
          -K, --config FILE|-      read options, one a line: a long name without dashes, and a value after a
                                   blank, = or :, which is in quotes if it has blanks; # begins a comment
          -q, --disable            read no other file of options, as in any case
          -Z, --parallel           make the requests at the same time, without a progress
          --parallel-max N         at most so many (50)
          METHOD, -X, --request METHOD
                                   HEAD with -I, PUT with -T, GET with -G or without a body, else POST
          -H, --header 'Name: value'|'Name:'|'Name;'|@FILE|@-
                                   send a header, none of that name, or an empty one; those of a file or of
                                   standard input, one a line; repeatable
          -A, --user-agent TEXT    send this User-Agent; none if it is empty
          -e, --referer URL        send this Referer
          -b, --cookie 'NAME=VALUE; ...'|FILE
                                   send these cookies, or those of a file in Netscape's format or with the
                                   heads of responses, and those that responses set; "" is no file, and -
                                   standard input; repeatable
          -c, --cookie-jar FILE|-  write all cookies at the end. If -b names the file too, several runs at
                                   a time may share it
          -j, --junk-session-cookies
                                   take no cookies of sessions from the files
          -u, --user USER:PASSWORD send the credentials (Basic), unless -H gives an Authorization
          --oauth2-bearer TOKEN    send the token (Bearer) instead
          --sensitive NAME         keep this header from other origins, from -v and from --events;
                                   repeatable. Authorization and Cookie are kept in any case
          -d, --data, --data-ascii TEXT|@FILE|@-
                                   send a text, a file or standard input; several are joined with &. CR,
                                   LF and NUL of files and standard input are left out
          --data-binary TEXT|@FILE|@-
                                   the same, unchanged
          --data-raw TEXT          the same, without a meaning of @
          --data-urlencode TEXT|=TEXT|NAME=TEXT|@FILE|NAME@FILE
                                   the same, percent-encoded
          -G, --get                add the data to the URL's query instead
          --json TEXT|@FILE|@-     send a body, as JSON
          -F, --form NAME=TEXT|NAME=@FILE,FILE|NAME=<FILE
                                   send a part of a multipart form: a text, uploaded files, or a text in a
                                   file; ;type=TYPE and ;filename=NAME may follow; repeatable
          --form-string NAME=TEXT  the same, without a meaning of @, < and ;
          -T, --upload-file FILE|- send a file or standard input with PUT; the file's name is added to a
                                   URL that ends in a slash
          -r, --range RANGES       request ranges of bytes, as in 0-499 or -500
          -C, --continue-at N|-    request what follows N bytes, or the bytes of the output, and append it
          --compressed             request a compressed body, and decode it; so it is without this option,
                                   too, unless -r, -C or -H Accept-Encoding asks for what is stored, but
                                   not for sse and lines, whose elements a proxy would hold back

        Response
          -o, --output FILE        write the body to a file: whole or not at all; - is standard output.
                                   Several are for the URLs in their order; the rest go to standard output.
                                   #1 is the text of the first pattern of the URL
          -O, --remote-name        the same, with the file name that the URL ends in
          -J, --remote-header-name with -O, prefer the name that the response gives. It is a new file in the
                                   current folder
          --output-dir DIR         the folder of the files of -o, -O and -J
          --create-dirs            create the folders of these files
          -i, --include, --show-headers
                                   write the head before the body, after those of redirects
          -I, --head               send HEAD, and write the head
          -f, --fail               write nothing of a response with status 400 or above
          --fail-with-body         write the body of such a response, which is the default
          -N, --no-buffer          write what has arrived at once, which is the default
          -w, --write-out FORMAT|@FILE|@-
                                   write text after the body. It may contain \\n, \\r, \\t, %% and variables:
                                   %header{NAME} and %{NAME} with content_type errormsg exitcode
                                   filename_effective header_json http_code http_version json method
                                   num_connects num_headers num_redirects num_retries onerror
                                   redirect_url remote_ip remote_port response_code scheme
                                   size_download size_header size_request size_upload speed_download
                                   speed_upload stderr stdout time_appconnect time_connect
                                   time_namelookup time_pretransfer time_redirect time_starttransfer
                                   time_total url url_effective
          --max-bytes, --max-filesize N
                                   fail when the decoded body is larger, or a message of a WebSocket (16 MiB)
          -L, --location           follow redirects, which is the default
          --max-redirects, --max-redirs N
                                   follow at most N redirects (10)

        Time
          --timeout S              fail when the peer keeps silent for S seconds (60)
          --connect-timeout S      fail when connecting takes longer (30)
          -m, --max-time S         fail when everything together takes longer; 0 means no limit
          --retry N                repeat failed attempts where it is safe
          --retry-connrefused      also after a refused connection, as is the default
          --retry-delay S          wait S seconds before each retry; by default, the delays grow

        Feeds: streams sse, lines and poll write the data of each element on a line, and connect again. They
        tell the first failure, and that elements may be repeated; -v tells more.
          --last-event-id ID       resume after an event of an earlier run; -H Last-Event-ID: never resumes
          --cursor NAME=MEMBER     resume lines of JSON: the query's parameter NAME is set to this member of
                                   the last line; MEMBER.MEMBER is a member of an object
          --reconnect-delay S      wait up to S seconds before the first reconnection (1), also of ws
          --read-timeout S         connect again when the server keeps silent for S seconds (180)
          --no-reconnect           end with the first connection
          --repeated drop|deliver  what to do with an event that is sent again after a reconnection, with
                                   the same ID and data (drop)
          --comments               print comments too, with --events
          --every S                the time between two polls

        WebSockets: streams ws sends each line of standard input as a message, and writes each message on a line.
        The end of standard input closes the connection, and so do SIGINT and SIGTERM, with the code 1001
          --protocol NAME          offer a subprotocol; repeatable, the preferred one first
          --ping S                 ping a peer that has been silent for S seconds (30); 0 means never
          --binary                 send binary messages instead of texts
          --echo                   send each message back, and read no standard input
          --linger S               after the end of standard input, close when no message has come for S seconds
                                   (1; 0 if it is a terminal)
          --reconnect              connect again, as a feed does. The lines of standard input, if it is no
                                   terminal, are read first, and sent on each connection

        Downloads: streams download writes each file whole, verified, and named when it is complete. A file with the
        checksum, or one that it has written and that the server has not changed, is not downloaded again
          -o, --output FILE        the name of the file, one for each URL; by default, and with -O, that in
                                   the URL, decoded
          -C, --continue-at -      accepted; downloads are resumed in any case
          --parallel N, --parallel-max N
                                   download N files at a time (4)
          --checksum sha256:HEX    fail when the file has another checksum; repeatable, in the order of
                                   the URLs; sha512 too

        Connection
          -x, --proxy PROXY        use a proxy: [SCHEME://][USER:PASSWORD@]HOST[:PORT], or "" for none
          --noproxy HOST,...       reach these hosts without a proxy, instead of those of no_proxy; * is all
          --resolve HOST:PORT:ADDRESS
                                   connect to this address for a host and port; repeatable
          -4, --ipv4, -6, --ipv6   connect to addresses of this family alone
          -z, --time-cond [-]DATE|FILE
                                   request what is newer than a date or a file, or older with a minus sign
          --path-as-is             send the segments . and .. of a URL
          --cacert FILE            trust the authorities in a PEM file
          -k, --insecure           trust any certificate
          -E, --cert FILE[:PASSWORD]
                                   present a client certificate, in PEM
          --key FILE               the key of the certificate, if another file has it
          --pass PASSWORD          the password of the key
          --http1, --http1.1       speak HTTP/1.1
          --http2                  speak HTTP/2 over TLS, if the server does
          --http2-prior-knowledge  speak HTTP/2 without TLS
          --unix-socket PATH       connect to a unix-domain socket

        Display
          --progress auto|always|never
          -#, --progress-bar       show the progress unless the body is written to a terminal
          --events                 print every event as a line of JSON instead of the body
          -v, --verbose            tell about requests, with the fields that are sent, responses and retries
          -s, --silent             show neither progress nor errors
          -S, --show-error         with -s, show errors
          -h, --help, --version

        Exit status: 0, also when the reader of the output closes its end; 1 scheme not supported; 2 wrong
        usage; 3 malformed URL; 5, 6 proxy or host not resolved; 7 not connected; 8 the reply is not HTTP;
        18 body ended early; 22 status 400 or above; 23 local write failed; 26 local read failed; 27 out of
        resources; 28 timeout; 33 another range than requested; 35 TLS handshake failed; 47 too many
        redirects; 52 empty reply; 55, 56 sending or receiving failed; 58 --cert not usable; 60 certificate
        not trusted; 61 content encoding not decodable, or another checksum; 63 larger than --max-bytes; 65
        body cannot be sent again; 70 the tour failed; 71 a WebSocket was closed with another code than 1000,
        1001 or none; 77 --cacert not usable; 129, 130, 143 ended by SIGHUP, SIGINT or SIGTERM; else a code of
        libcurl's. With several URLs, that of the first failure.

        """
}
