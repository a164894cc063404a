import StreamsTesting
import Testing

@Suite("A lifetime tracker")
struct LifetimeTrackerTests {
    private final class TestObject {}

    @Test("Lists the tokens and objects that are alive")
    func alive() {
        let lifetimes = LifetimeTracker()
        var object: TestObject? = TestObject()
        var closure: (() -> Void)?
        do {
            let token = lifetimes.token("closure")
            closure = { withExtendedLifetime(token) {} }
        }
        object.map { lifetimes.watch($0, as: "an object") }
        #expect(lifetimes.alive == ["an object", "closure"])
        closure?()
        closure = nil
        #expect(lifetimes.alive == ["an object"])
        object = nil
        #expect(lifetimes.alive == [])
    }

    @Test("A leak throws an error with the names that are not excepted")
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
