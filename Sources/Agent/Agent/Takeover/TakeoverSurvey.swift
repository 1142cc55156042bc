// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import Study
import SystemKit

/// Finds out about the machine and the files of a folder what `TakeoverPlan` decides on. `FolderTakeover` calls
/// `findBoard`, then `facts`. Blocks.
struct TakeoverSurvey: Sendable {
    let folder: SetupFolder
    let places: TakeoverPlaces
    let clock: any StudyClock
    let isClockTrusted: Bool
    /// How long a bus may take to appear: drivers come by themselves while the system starts.
    let patience: Duration
    let actions: FolderTakeover.Actions

    struct FoundBoard {
        var fact: TakeoverFacts.Board
        var board: BoardDescription?
        /// Path of the board's file.
        var path = ""
    }

    func findBoard(_ setup: SetupFile) -> FoundBoard {
        let path: String
        do {
            path = try folder.configuration(setup).map { try boardPath(of: $0, setup) } ?? boardPath(setup)
        } catch { return FoundBoard(fact: .unusable(Explanation(error))) }
        guard !path.isEmpty else { return FoundBoard(fact: .unknown(actions.boards.keys.sorted())) }
        do {
            let board = try BoardDescription(parsing: BoundedFile.text(path), file: path)
            guard !board.isSimulated else {
                let cause = "The board '\(board.name)' is simulated"
                return FoundBoard(fact: .unusable(Explanation(cause: cause, remedy: "choose the board that was built")))
            }
            actions.boardFound(board)
            return FoundBoard(fact: .known(parts(of: board)), board: board, path: path)
        } catch {
            return FoundBoard(fact: .unusable(Explanation(error)))
        }
    }

    /// Path of the file of the board that `setup.toml` names; empty where there is none.
    private func boardPath(_ setup: SetupFile) -> String {
        let name = setup.board ?? ""
        if let shipped = actions.boards[name] { return shipped }
        let path = name.hasPrefix("/") ? name : folder.path + "/" + name
        return access(path, F_OK) == 0 && path.hasSuffix(".toml") ? path : ""
    }

    /// Path of the board file that the folder's own configuration names, relative to that configuration.
    private func boardPath(of configuration: AgentConfiguration, _ setup: SetupFile) throws -> String {
        let name = configuration.board
        let path = name.hasPrefix("/") ? name : folder.configurationFolder(setup) + "/" + name
        guard access(path, F_OK) == 0, !name.split(separator: "/").contains("..") else {
            throw ConfigError(
                file: setup.configuration ?? "", path: "board", line: nil, cause: "there is no board file '\(name)'",
                remedy: "write the path of one in the folder, or of one that comes with studyd: "
                    + actions.boards.values.sorted().joined(separator: ", "))
        }
        return path
    }

    /// Which buses and chips are not as the board says; waits for buses that may still appear.
    private func parts(of board: BoardDescription) -> TakeoverFacts.Parts {
        var parts = TakeoverFacts.Parts()
        let buses = board.buses
        wait { buses.allSatisfy { access(places.device($0.device), F_OK) == 0 } }
        for bus in buses {
            guard access(places.device(bus.device), F_OK) == 0 else {
                parts.missingBuses.append(bus.device)
                continue
            }
            // A bus that root cannot open is broken: `studyd check` explains that.
            guard let open = try? LinuxI2CBus(path: places.device(bus.device)) else { continue }
            let verdict = BusVerdict(BusSurvey(of: open, named: bus.name), of: board, bus: bus)
            for chip in board.chips where chip.bus == bus.name {
                let subject = CheckSubject(chip, of: board)
                guard let finding = verdict.refusal(subject, chip) else { continue }
                let cause = "\(finding.subject.name): \(finding.detail)"
                parts.wrongChips.append(Explanation(place: "board \(board.name)", cause: cause, remedy: finding.remedy))
            }
        }
        return parts
    }

    private func wait(until isThere: () -> Bool) {
        guard let waker = try? Waker() else { return }
        let end = clock.monotonic + patience
        while !isThere(), clock.monotonic < end { waker.wait(atMost: .milliseconds(200)) }
    }

    func facts(of setup: SetupFile, on board: FoundBoard) throws(TakeoverMistake) -> TakeoverFacts {
        var facts = TakeoverFacts()
        facts.participation = try places.participation()
        facts.deviceKey = (try? BoundedFile.text(places.deviceKey)).map { String($0.prefix { !$0.isNewline }) }
        facts.freeBytes = (DiskSpace(at: places.state) ?? DiskSpace(at: places.boardFolder))?.free
        facts.isClockTrusted = isClockTrusted
        facts.networkFile = folder.text(beside: "network-config")
        facts.hasNetwork = places.hasNetwork(networkFile: facts.networkFile, in: folder.parent)
        facts.isNetworkFileUnused = places.isUnused(networkFile: facts.networkFile, in: folder.parent)
        facts.ignoredWiFi = places.ignoredWiFi(networkFile: facts.networkFile, in: folder.parent)
        facts.bootConfig = folder.text(beside: "config.txt") ?? (try? BoundedFile.text(places.boot + "/config.txt"))
        facts.consent = setup.consent.flatMap { name in
            explained { _ = try ConsentRecord(parsing: BoundedFile.read(folder.path + "/" + name), file: name) }
        }
        facts.configuration = explained { try checkState(setup) }
        (facts.board, facts.study) = (board.fact, study(of: setup, on: board.board))
        return facts
    }

    /// Throws where the folder's configuration names another state folder: the service's unit sets its own,
    /// and may write to no other.
    private func checkState(_ setup: SetupFile) throws {
        guard let name = setup.configuration, let own = try? folder.configuration(setup),
            own.state != places.state, own.state != AgentConfiguration.defaultState
        else { return }
        throw try ConfigSource.parse(folder.text(of: name), file: name).error(
            "state", "is '\(own.state)', but the service keeps its state in \(places.state)",
            remedy: "remove this line")
    }

    private func study(of setup: SetupFile, on board: BoardDescription?) -> TakeoverFacts.Study {
        guard !setup.isStudyAddress else { return .address }
        let path = folder.path + "/" + setup.study
        guard access(path, F_OK) == 0 else { return .missing }
        do {
            let study = try LoadedStudy.load(path, arguments: setup.arguments).study
            let verdict = try board.map { StudyVerdict(study, on: try Panel($0)) }
            let refusals = verdict.map { $0.isRefused ? $0.refusals.map(\.text) : [] } ?? []
            return .read(id: study.studyID, refusals: refusals + (verdict?.buttonRefusals ?? []))
        } catch { return .unreadable(Explanation(error)) }
    }

    /// The error that `body` throws; nil where it throws none.
    private func explained(_ body: () throws -> Void) -> Explanation? {
        do { try body() } catch { return Explanation(error) }
        return nil
    }
}
