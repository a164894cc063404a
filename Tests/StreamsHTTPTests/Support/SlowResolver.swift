#if canImport(Glibc)
import Foundation
import Glibc
import Testing

/// A resolver in place of the system's whose name server does not answer for some names.
///
/// A process has it from its start, by `LD_PRELOAD`, so tests that need it run in a process of their own.
struct SlowResolver {
    /// The names with this suffix wait for ``answer()``, and then resolve to the loopback address.
    static let suffix = ".unanswered.test"

    private static let source = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <netdb.h>
        #include <pthread.h>
        #include <stdatomic.h>
        #include <string.h>

        static atomic_int current, highest, total;
        static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
        static pthread_cond_t answered = PTHREAD_COND_INITIALIZER;
        static int answering;

        int slow_resolver_highest(void) { return highest; }
        int slow_resolver_total(void) { return total; }
        int slow_resolver_answer(void) {
            pthread_mutex_lock(&mutex);
            answering = 1;
            pthread_cond_broadcast(&answered);
            return pthread_mutex_unlock(&mutex);
        }

        int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
            int (*next)(const char *, const char *, const struct addrinfo *, struct addrinfo **) =
                (void *)dlsym(RTLD_NEXT, "getaddrinfo");
            if (!name || !strstr(name, "\(suffix)")) return next(name, service, hints, result);
            // Newer versions of libcurl look a name up once for each kind of address, side by side. It counts once.
            int counts = !hints || hints->ai_family != AF_INET6;
            if (counts) total++;
            int now = counts ? ++current : 0;
            for (int seen = highest; now > seen && !atomic_compare_exchange_weak(&highest, &seen, now);) {}
            pthread_mutex_lock(&mutex);
            while (!answering) pthread_cond_wait(&answered, &mutex);
            pthread_mutex_unlock(&mutex);
            if (counts) current--;
            struct addrinfo ipv4 = {.ai_family = AF_INET, .ai_socktype = hints ? hints->ai_socktype : 0};
            return next("127.0.0.1", service, &ipv4, result);
        }
        """

    private typealias Function = @convention(c) () -> CInt

    private static func function(_ name: String) -> Function? {
        dlsym(nil, "slow_resolver_\(name)").map { unsafeBitCast($0, to: Function.self) }
    }

    private let readHighest: Function
    private let readTotal: Function
    private let makeAnswer: Function

    /// The resolver of this process, if it has been started with one.
    static var installed: SlowResolver? {
        guard let highest = function("highest"), let total = function("total"), let answer = function("answer") else {
            return nil
        }
        return SlowResolver(readHighest: highest, readTotal: total, makeAnswer: answer)
    }

    /// The highest number of lookups that waited at once.
    var highest: Int { Int(readHighest()) }
    /// The number of lookups of names with the suffix.
    var total: Int { Int(readTotal()) }

    /// Answers all lookups that wait, and further ones at once.
    func answer() { _ = makeAnswer() }

    /// Runs a test in a process that has the resolver.
    ///
    /// - Parameter test: The name of the test, with its suite's.
    /// - Returns: The exit status, and the output.
    static func run(_ test: String) async throws -> (status: Int32, output: String) {
        let folder = try ScratchFolder()
        try folder.write(source, to: "resolver.c")
        let library = "\(folder.path)/resolver.so"
        let compiler = try #require(Program.clang.path)
        let compiled = try await launch(compiler, ["-shared", "-fPIC", "-o", library, "\(folder.path)/resolver.c"])
        try #require(compiled.status == 0, "\(compiled.output)")
        return try await launch(
            try #require(readLink("/proc/self/exe")), ["--testing-library", "swift-testing", "--filter", test],
            environment: ["LD_PRELOAD": library])
    }

    private static func readLink(_ path: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: path)
    }

    private static func launch(
        _ program: String, _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let output = Pipe.uninherited()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        try? output.fileHandleForWriting.close()
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread { [process, output] in
                let data = (try? output.fileHandleForReading.readToEnd()) ?? Data()
                continuation.resume(returning: (process.waitForStatus(), String(decoding: data, as: UTF8.self)))
            }
        }
    }
}
#endif
