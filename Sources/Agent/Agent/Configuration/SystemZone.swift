// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// The zone of the participant's wall clock: `AgentRuntime` and commands load the one that `studyd.toml` or a person
/// names, else the system's.
package enum SystemZone {
    /// The zone of that name; nil = the system's, UTC where it has none.
    package static func load(_ identifier: String?) throws -> Zone {
        let variable = getenv("TZ").map { String(cString: $0) }
        guard let name = identifier ?? Zone.systemIdentifier(variable: variable) else { return .utc }
        return try Zone.load(name)
    }

    /// What to do where the zone of that name, nil = the system's, cannot be loaded.
    static func remedy(_ identifier: String?) -> String {
        identifier == nil ? "install the package tzdata" : "use a name such as Europe/Berlin, or remove it"
    }
}
