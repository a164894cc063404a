import StreamsHTTP
import Testing

@Suite struct IPAddressTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("::ffff:10.0.0.1", "10.0.0.1"), ("::FFFF:0A00:0001", "10.0.0.1"),
        ("2001:DB8:0:0::1", "2001:db8::1"), ("::", "::"), ("::1", "::1"), ("0.0.0.0", "0.0.0.0"),
    ])
    func readsAndWritesText(text: String, expected: String) throws {
        let address = try #require(IPAddress(text))
        #expect("\(address)" == expected)
        #expect(IPAddress(expected) == address)
    }

    @Test(arguments: [
        "", "localhost", "127.1", "0x7f.0.0.1", "1.2.3.4.5", "[::1]", "fe80::1%lo", "256.0.0.1", "1.2.3.4 ",
        "1.2.3.4\0",
    ])
    func rejectsOtherText(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(arguments: [
        "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0",
        "198.17.255.255", "198.20.0.0", "223.255.255.255", "2606:4700:4700::1111", "2a00::1", "2001:200::1",
        "2003::1", "64:ff9b::8.8.8.8", "::ffff:8.8.8.8",
    ])
    func knowsPublicAddresses(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.isPublic)
        #expect(!address.isLoopback && !address.isPrivate && !address.isLinkLocal && !address.isMulticast)
        #expect(!address.isUnspecified)
    }

    @Test(arguments: [
        "0.0.0.0", "0.1.2.3", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.100.100.200", "100.127.255.255",
        "127.0.0.1", "127.255.255.255", "169.254.0.0", "169.254.169.254", "172.16.0.0", "172.31.255.255", "192.0.0.1",
        "192.0.2.1", "192.88.99.1", "192.168.0.0", "192.168.255.255", "198.18.0.0", "198.19.255.255", "198.51.100.1",
        "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1", "::7f00:1",
        "::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::10.0.0.1", "64:ff9b::169.254.169.254", "64:ff9b:1::1",
        "100::1", "2001::1", "2001:db8::1", "2001:1ff:ffff::1", "2002:7f00:1::", "3fff::1", "4000::1", "5f00::1",
        "fc00::1", "fd00:ec2::254", "fe80::1", "febf::1", "fec0::1", "ff02::1",
    ])
    func knowsAddressesThatAreNotPublic(text: String) throws {
        #expect(try !#require(IPAddress(text)).isPublic)
    }

    @Test func knowsRanges() throws {
        func texts(_ property: (IPAddress) -> Bool) throws -> [String] {
            let all = [
                "127.1.2.3", "::1", "10.1.2.3", "172.20.0.1", "192.168.1.1", "100.64.0.1", "fd12::1", "169.254.169.254",
                "fe80::1", "224.0.0.251", "ff02::fb", "0.0.0.0", "::",
            ]
            return try all.filter { try property(#require(IPAddress($0))) }
        }
        #expect(try texts(\.isLoopback) == ["127.1.2.3", "::1"])
        #expect(try texts(\.isPrivate) == ["10.1.2.3", "172.20.0.1", "192.168.1.1", "100.64.0.1", "fd12::1"])
        #expect(try texts(\.isLinkLocal) == ["169.254.169.254", "fe80::1"])
        #expect(try texts(\.isMulticast) == ["224.0.0.251", "ff02::fb"])
        #expect(try texts(\.isUnspecified) == ["0.0.0.0", "::"])
    }
}
