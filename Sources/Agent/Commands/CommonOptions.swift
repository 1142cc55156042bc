// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Base
import Glibc
import SystemKit

/// Options of the commands that read the configuration or the state folder.
package struct CommonOptions: ParsableArguments {
    @Option(name: .long, help: "Configuration file.", completion: .file(extensions: ["toml"]))
    package var config = AgentConfiguration.defaultPath

    @Option(
        name: .long,
        help: "State folder with the event log, recordings and cache (default: the one in the configuration).")
    package var state: String?

    package init() {}

    /// The configuration, with the state folder of the command line.
    package func configuration() throws -> AgentConfiguration {
        guard isConfigured else {
            throw FileError(path: config, message: "not found", remedy: "use --config, or write one with 'studyd init'")
        }
        var configuration = try AgentConfiguration(parsing: try BoundedFile.text(config), file: config, state: state)
        configuration.board = Resource.path(configuration.board, namedIn: config)
        return configuration
    }

    /// The board that the configuration names. Where its file is missing, the error points to the
    /// configuration's line.
    package func board(of configuration: AgentConfiguration) throws -> BoardDescription {
        let path = configuration.board
        guard access(path, F_OK) == 0 else {
            let reason = String(cString: strerror(errno))
            throw try ConfigSource.parse(BoundedFile.text(config), file: config).error(
                "board", "\(path): \(reason)",
                remedy: "correct the path, which is relative to the configuration file")
        }
        return try BoardDescription(at: path)
    }

    /// For commands that only read the state folder: with --state, no configuration need exist.
    package func readingConfiguration() throws -> AgentConfiguration {
        guard let state else { return try configuration() }
        try checkState(state)
        return isConfigured ? try configuration() : AgentConfiguration(board: "", state: state)
    }

    private var isConfigured: Bool { access(config, F_OK) == 0 }

    /// Throws where `state` does not exist, or is a demo's folder, which has the device's state in
    /// `device`.
    private func checkState(_ state: String) throws {
        let inside = state + "/device"
        guard access(state, F_OK) == 0 else {
            throw FileError(path: state, message: "not found", remedy: "check the path of the state folder")
        }
        guard access(state + "/studyd.sqlite", F_OK) != 0, access(inside + "/studyd.sqlite", F_OK) == 0 else { return }
        throw FileError(path: state, message: "is not a state folder", remedy: "use --state \(inside.shellWord)")
    }
}

/// Every command takes `--config` and `--state`, so that a script can pass them to all; some have
/// no use for them.
package struct UnusedOptions: ParsableArguments {
    @Option(name: .long, help: .hidden) var config: String?
    @Option(name: .long, help: .hidden) var state: String?

    package init() {}
}
