// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Which activities of a list can be done: `MyStudiesDecoder` and `MyStudiesMetadata` pass over the others.
///
/// The staff of a study cannot take an activity out of the list of the study metadata server: it
/// stays there as `deleted`, often without metadata. Source: iOS `ActivitiesViewController`, which
/// shows `state == "active" || state == nil` and deletes the notifications of all others.
package enum MyStudiesListing {
    /// False for an activity that was deleted; one without a state is active.
    package static func isActive(state: String?) -> Bool {
        guard let state, !state.isEmpty else { return true }
        return state.lowercased() == "active"
    }

    /// The ids of all active ones, in the order of an `activityList`; nil for anything else.
    package static func activities(_ list: [UInt8]) -> [String]? {
        guard let root = try? JSONNode(list), let entries = root["activities"]?.array else {
            return nil
        }
        return entries.compactMap { entry in
            isActive(state: entry["state"]?.text) ? entry["activityId"]?.text : nil
        }
    }
}
