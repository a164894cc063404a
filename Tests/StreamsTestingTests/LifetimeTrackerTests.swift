import StreamsTesting
import Testing

@Suite("A lifetime tracker")
struct LifetimeTrackerTests {
    private final class Thing {}

    @Test("It lists the tokens and objects that still exist")
    func alive() {
        let lifetimes = LifetimeTracker()
        var thing: Thing? = Thing()
        var closure: (() -> Void)?
        do {
            let token = lifetimes.token("closure")
            closure = { withExtendedLifetime(token) {} }
        }
        thing.map { lifetimes.watch($0, as: "a thing") }
        #expect(lifetimes.alive == ["a thing", "closure"])
        closure?()
        closure = nil
        #expect(lifetimes.alive == ["a thing"])
        thing = nil
        #expect(lifetimes.alive == [])
    }

    @Test("A leak is an error with the names of what leaked, each as often as it is not excepted")
    func leaks() throws {
        let lifetimes = LifetimeTracker()
        let tokens = ["b", "a", "b"].map(lifetimes.token)
        let error = #expect(throws: LeakError.self) { try lifetimes.expectReleased(except: "b", "c") }
        #expect(error?.alive == ["a", "b"])
        #expect(error?.description == "still alive: a, b")
        try lifetimes.expectReleased(except: "a", "b", "b")
        withExtendedLifetime(tokens) {}
    }
}
