// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Base
import Dataset
import SystemKit

/// `study-receiver erase`: deletes a participant (GDPR, article 17).
struct EraseCommand<StandIns: StandInArguments>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "erase", _superCommandName: "study-receiver",
            abstract: "Delete what the folder holds of a participant, in all of its studies.",
            discussion: """
                Without --yes it lists what that is. Stop the server first. The participant's keys stay, revoked, and the
                page's changes say that and when it was done. The name stays closed: who comes back needs another.
                Backups keep theirs until the next 'study-receiver backup'; buckets, sticks and served folders keep theirs.

                EXAMPLE
                  study-receiver erase P007 --data ./lab
                  study-receiver erase P007 --data ./lab --yes
                """)
    }

    @OptionGroup var folder: DataFolderOption
    @Flag(help: "Delete it, and close the name even where nothing is held; without this nothing is changed.")
    var yes = false
    @Flag(help: "Delete it where the name is in several studies, too: it may be two people.") var allStudies = false
    @Argument(help: "Participant.") var participant: String

    func validate() throws {
        guard !participant.isEmpty else {
            throw ValidationError("PARTICIPANT is empty: what came without a name is not known to be anybody's")
        }
    }

    func run() async throws {
        try folder.check()
        let locks = yes ? try lock() : []
        defer { for lock in locks { lock.release() } }
        let erasure = Erasure(of: participant, in: folder.data, StandIns.participantRows(of: participant))
        let (found, earlier, names) = (try erasure.survey(), try erasure.erasedAt(), try erasure.names())
        if let key = names.first(where: { MyStudiesShortName.of($0) == participant }) { throw short(for: key) }
        guard !found.isEmpty || earlier != nil || yes && isKnown(names) else { throw unknown(names) }
        let studies = try LabCensus.studies(of: participant, in: folder.data)
        guard !yes || allStudies || studies.names.count < 2 else { throw severalStudies(studies) }
        if yes { try await erase(erasure, found, isFirst: earlier == nil) }
        report(found, in: studies, earlier)
        if let remark = remark(on: try erasure.accounts()) { print(remark) }
    }

    /// Names accounts whose archives may be the participant's: an archive need not say whose it is.
    func remark(on accounts: [String]) -> String? {
        guard !accounts.isEmpty else { return nil }
        let more = accounts.count > 10 ? " and \(accounts.count - 10) more" : ""
        return "archives came to a played server from the accounts "
            + accounts.prefix(10).map(\.shown).joined(separator: ", ") + more
            + "; if one is that of \(participant.shown), 'study-receiver erase ACCOUNT' lists and deletes them"
    }

    /// A running server has devices, alarms and uploads in memory, and `mirror` what it is fetching.
    private func lock() throws -> [FolderLock] {
        let remedy = "stop it first; devices send later"
        return try [
            FolderLock(
                folder.data + "/lock", of: folder.data, taken: "a study-receiver is running with this data folder",
                remedy: remedy),
            FolderLock(
                folder.data + "/mirror-lock", of: folder.data,
                taken: "a bucket or stick is being fetched into it, or it is being backed up",
                remedy: "wait for that"),
        ]
    }

    /// Byte by byte, as SQLite compares: for Swift `é` is also `e` with an accent.
    private func isKnown(_ names: [String]) -> Bool { names.contains { $0.utf8.elementsEqual(participant.utf8) } }

    private func unknown(_ names: [String]) -> CommandError {
        let listed = names.prefix(10).map(\.shown).joined(separator: ", ")
        let more = names.count > 10 ? " and \(names.count - 10) more, which the page lists" : ""
        let near: String? =
            isKnown(names)
            ? "--yes closes the name"
            : Misspelling.nearest(participant, in: names).map { "did you mean '\($0.shown)'?" }
        return CommandError(
            "\(folder.data) holds nothing of \(participant.shown)",
            near ?? (names.isEmpty ? "name the server's folder by --data" : "it has \(listed)\(more)"))
    }

    /// Of the short name, states and sessions are not known to be theirs.
    private func short(for key: String) -> CommandError {
        CommandError("\(participant.shown) is short for \(key.shown)", "erase that; nothing was deleted")
    }

    /// Keys, quotas and pages know only the name.
    private func severalStudies(_ studies: (names: [String], isGuessed: Bool)) -> CommandError {
        let names = studies.names.map(\.shown).joined(separator: ", ")
        return CommandError(
            "\(participant.shown) \(studies.isGuessed ? "may be" : "is") in the studies \(names), "
                + "where it may be two people", "--all-studies deletes it in all of them; nothing was deleted")
    }

    /// First nothing more is taken from the participant's devices; then it is noted; then it is done.
    private func erase(_ erasure: Erasure, _ found: [Erasure.Place], isFirst: Bool) async throws {
        let (keys, register, now) = (try folder.open(), try folder.register(), SystemClock().now)
        try await keys.revoke(participant, at: now)
        if isFirst || !found.isEmpty {
            let what = found.isEmpty ? "nothing" : found.map { "\($0.name) \($0.what)" }.joined(separator: "; ")
            try await register.log(.erase, participant, after: what, by: "command", at: now)
        }
        try erasure.deleteFiles()
        for store in erasure.stores { try erasure.deleteRows(of: store) }
    }

    private func report(_ found: [Erasure.Place], in studies: (names: [String], isGuessed: Bool), _ earlier: Instant?) {
        let name = participant.shown
        let names = studies.names.map(\.shown).joined(separator: ", ")
        let inStudies = names.isEmpty ? "" : " (\(studies.isGuessed ? "perhaps " : "")study \(names))"
        if found.isEmpty, let earlier {
            print("\(name) was erased at \(earlier.rfc3339Zulu()); nothing else is here")
        } else if found.isEmpty {
            // A run that ended between the revocation and its note is finished.
            print("\(folder.data) held nothing of \(name); the name is closed")
        } else {
            print(yes ? "erased \(name)\(inStudies):" : "\(folder.data) holds of \(name)\(inStudies):")
            for place in found { print("  \(place.name): \(place.what)") }
        }
        guard yes else {
            if !found.isEmpty { errorLine("erase: nothing was deleted; --yes deletes it") }
            return
        }
        print(
            "backups, exports and caches made before \(SystemClock().now.rfc3339Zulu()), and buckets, sticks and served "
                + "folders keep theirs; notes on others and reports of ESMira's scripts may name \(name); "
                + "'study-receiver mirror' into this folder fetches nothing of \(name)")
    }
}
