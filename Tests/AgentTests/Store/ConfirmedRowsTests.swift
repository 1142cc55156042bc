// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import SystemKit
import Testing

@testable import Agent
@testable import Study

/// A forger has the device and all that is on it, but not the receiver's key.
@Suite struct ConfirmedRowsTests {
    private static let receiver = Ed25519.PrivateKey(seed: Array(repeating: 7, count: 32))
    private static let time = Instant(seconds: 1_800_000_500)

    private func statement(_ log: String, _ sequence: Int64, _ hash: String) throws -> String {
        let key = try #require(Self.receiver)
        var statement = Countersignature(
            log: String(log.prefix(32)), sequence: sequence, hash: String(hash.prefix(32)), time: Self.time,
            device: "00", receiver: key.publicKey.hexadecimal)
        statement.signature = Base64.encoded(try key.sign(statement.signed))
        return statement.text
    }

    /// A log of four rows, the third of which was confirmed; `first` and `second` are what happened.
    private func log(first: String = "1", second: String = "2", receipt: String?) throws -> EventLog {
        let log = try begun(first, second)
        try log.append([.uploadDelivered(item: "i", receipt: "204", countersigned: receipt)], at: Fixture.stamp(2))
        return log
    }

    private func begun(_ first: String = "1", _ second: String = "2") throws -> EventLog {
        let log = try EventLog(Connection(.memory), salt: { Array(repeating: 1, count: 16) })
        for text in [first, second, "3"] { try log.append([.agentStarted(version: text)], at: Fixture.stamp(1)) }
        return log
    }

    private func head() throws -> LogHead { try #require(try begun().head()) }

    @Test func rowsUpToAConfirmedOneAreAsTheyWere() throws {
        let head = try self.head()
        let receipt = try statement(head.log, 3, head.hash)
        let confirmed = try log(receipt: receipt).confirmedRows()
        #expect(confirmed.faults.isEmpty && confirmed.confirmations.map(\.sequence) == [3])
        #expect(confirmed.confirmations.map(\.time) == [Self.time])
        #expect(try log(receipt: nil).confirmedRows().confirmations.isEmpty)
    }

    @Test func aChainThatWasMadeAgainContradictsTheReceipt() throws {
        let head = try self.head()
        let receipt = try statement(head.log, 3, head.hash)
        let rewritten = try log(second: "forged", receipt: receipt)
        #expect(try rewritten.verify() == nil, "the chain itself fits")
        #expect(
            try rewritten.confirmedRows().faults
                == [ChainFault(sequence: 3, problem: "is not the row that a receiver has confirmed")])
        let again = try log(first: "forged", receipt: receipt).confirmedRows()
        #expect(again.faults == [ChainFault(sequence: 4, problem: "has the receipt of another log")])
        let beyond = try log(receipt: statement(head.log, 99, head.hash)).confirmedRows()
        #expect(beyond.faults.map(\.sequence) == [99])
    }

    /// Everything in it is signed; a shortened hash would fit many rows.
    @Test(arguments: ["log", "row", "hash", "time", "device", "receiver", "signature", "short", "words", "none"])
    func aReceiptThatNoReceiverSignedIsNone(part: String) throws {
        let head = try self.head()
        let text = try statement(head.log, 3, head.hash)
        var words = text.split(separator: " ").map(String.init)
        switch part {
        case "log": words[0] = String(words[0].dropLast())
        case "row": words[1] = words[1].replacing("3:", with: "2:")
        case "hash": words[1] = String(words[1].dropLast()) + (words[1].hasSuffix("0") ? "1" : "0")
        case "time": words[2] = "1800000501"
        case "device": words[3] = "01"
        case "receiver":
            words[4] = try #require(Ed25519.PrivateKey(seed: Array(repeating: 8, count: 32))).publicKey.hexadecimal
        case "signature": words[5] = "A" + words[5].dropFirst()
        case "short":
            words = try statement(String(head.log.prefix(31)), 3, head.hash).split(separator: " ").map(String.init)
        case "words": words.append("x")
        default: words = ["confirmed"]
        }
        let confirmed = try log(receipt: words.joined(separator: " ")).confirmedRows()
        #expect(confirmed.confirmations.isEmpty)
        #expect(confirmed.faults == [ChainFault(sequence: 4, problem: "has a receipt that no receiver signed")])
    }
}
