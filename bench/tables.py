#!/usr/bin/python3
#
# What a data scientist builds in an afternoon for columns with nulls: a random forest and histogram gradient boosting of
# scikit-learn, on the row's own columns and on columns joined to it.  For bench/tables.
#
#	bench/tables.py FOLDER TABLE COLUMN forest|boosting >ANSWERS
#	bench/tables.py FOLDER TABLE COLUMN doubt >ROWS
#
# FOLDER has the tables as CSV files.  Prints the column, the row's key, the best value and its probability, of each row
# where the column is null. With doubt: 'forest', the row's key and its place among the 1,000 values that a forest of the other
# four fifths of the rows doubts most, for bench/doubts.
#
# Numbers stand as they are.  A category is one column a value where it has few, and a code by frequency else; boosting reads
# the codes of its 254 most frequent values as categories.  Joined columns: the most frequent value among linked rows, where the
# row's own value of the predicted column does not count; numbers of linked rows, and means over them; whether the
# row is linked with each of the rows that are most linked.  Of texts, whether each of the 300 most frequent words is in it; of
# codes, the first letter, and the first two.

import sys

import numpy
import pandas
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_predict


def modes(group, value):
    """The most frequent value of each group; ties by the value"""
    counts = pandas.DataFrame({'group': group.values, 'value': value.values}).dropna().value_counts().reset_index(name='number')
    counts = counts.sort_values(['number', 'value'], ascending=[False, True], kind='stable')
    return counts.drop_duplicates('group').set_index('group')['value']


def others_mode(group, value):
    """The most frequent value among the other rows of a row's group"""
    frame = pandas.DataFrame({'group': group.values, 'value': value.values})
    counts = frame.dropna().value_counts().reset_index(name='number')
    counts = counts.sort_values(['number', 'value'], ascending=[False, True], kind='stable')
    counts['place'] = counts.groupby('group').cumcount()
    first, second = (counts[counts.place == place].set_index('group') for place in (0, 1))
    one, two = frame.group.map(first.value), frame.group.map(second.value)
    left = frame.group.map(first.number).fillna(0) - (frame.value == one)
    result = one.where(left >= frame.group.map(second.number).fillna(0), two).where(left > 0, two)
    return pandas.Series(result.values, index=group.index)


def linked(frame, key, links, own, other, number):
    """0 and 1: whether a row has a link with each of the rows that have most"""
    result = {}
    for name in links[other].value_counts().index[:number]:
        result[f'{other} {name}'] = frame[key].isin(links.loc[links[other] == name, own]).astype(numpy.int8)
    return pandas.DataFrame(result)


def words(texts, number=300):
    """0 and 1: whether each of the most frequent words is in a text"""
    lists = texts.fillna('').str.lower().str.findall(r'\w+')
    return pandas.DataFrame({f'word {word}': lists.map(lambda found: word in found).astype(numpy.int8)
                             for word in lists.map(set).explode().value_counts().index[:number]})


def code(x, rows, *names):
    """How the codes of a row begin"""
    for name in names:
        x[f'{name} 1'], x[f'{name} 2'] = rows[name].str[:1], rows[name].str[:2]


def airport(read, column):
    a, line, route = read('airport'), read('airline'), read('route')
    x = pandas.DataFrame({name: a[name] for name in ('latitude', 'longitude', 'altitude', 'country', 'city')
                          if name in a and name != column})
    both = pandas.concat([route[['source', 'destination', 'airline']],
                          route.rename(columns={'source': 'destination', 'destination': 'source'})[['source', 'destination', 'airline']]])
    other = a.set_index('id')
    x['routes'] = a.id.map(both.source.value_counts()).fillna(0)
    x['airline'] = a.id.map(modes(both.source, both.airline))
    x['airline country'] = a.id.map(modes(both.source, both.airline.map(line.set_index('id').country)))
    for name in ('country', 'tz'):
        if name in a:
            x[f'{name} of the other end'] = a.id.map(modes(both.source, both.destination.map(other[name])))
            x[f'{name} of the city'] = others_mode(a.city, a[name]) if name == column else None
    for name in ('latitude', 'longitude'):
        if name in a:
            x[f'{name} of the other end'] = a.id.map(both.destination.map(other[name]).groupby(both.source).mean())
    if column == 'tz':
        x['tz of the country'] = others_mode(a.country, a.tz)
    code(x, a, 'iata', 'icao')
    return a, 'id', pandas.concat([x, words(a['name'] + ' ' + a.city.fillna(''))], axis=1)


def airline(read, column):
    line, a, route = read('airline'), read('airport').set_index('id'), read('route')
    x = line[['active']].copy()
    x['has alias'], x['has iata'], x['has icao'], x['has callsign'] = (line[name].notna().astype(int) for name in ('alias', 'iata', 'icao', 'callsign'))
    x['routes'] = line.id.map(route.airline.value_counts()).fillna(0)
    ends = pandas.concat([route[['airline', 'source']].rename(columns={'source': 'end'}),
                          route[['airline', 'destination']].rename(columns={'destination': 'end'})])
    for name in ('country', 'tz'):
        if name in a:
            x[f'{name} of its airports'] = line.id.map(modes(ends.airline, ends.end.map(a[name])))
    for name in ('latitude', 'longitude'):
        if name in a:
            x[f'{name} of its airports'] = line.id.map(ends.end.map(a[name]).groupby(ends.airline).mean())
    x['airport'] = line.id.map(modes(ends.airline, ends.end))
    x['equipment'] = line.id.map(modes(route.airline, route.equipment))
    code(x, line, 'iata', 'icao')
    return line, 'id', pandas.concat([x, words(line['name'] + ' ' + line.alias.fillna('') + ' ' + line.callsign.fillna(''))], axis=1)


def package(read, column):
    p, depends, tag = read('package'), read('depends'), read('package_tag')
    names = ('section', 'priority', 'role', 'implemented_in')
    x = p[['maintainer', 'source', 'installed_size'] + [name for name in names if name != column]].copy()
    x['packages of the source'] = p.source.map(p.source.value_counts())
    x['depends'] = p.name.map(depends.package.value_counts()).fillna(0)
    x['needed by'] = p.name.map(depends.needs.value_counts()).fillna(0)
    by_name = p.set_index('name')
    for name in dict.fromkeys([column, 'section']):
        x[f'{name} of what it needs'] = p.name.map(modes(depends.package, depends.needs.map(by_name[name])))
        x[f'{name} of what needs it'] = p.name.map(modes(depends.needs, depends.package.map(by_name[name])))
    for name in ('source', 'maintainer'):
        x[f'{column} of the {name}'] = others_mode(p[name], p[column])
    return p, 'name', pandas.concat([x, linked(p, 'name', depends, 'package', 'needs', 200),
                                     linked(p, 'name', tag, 'package', 'tag', 100),
                                     words(p['name'] + ' ' + p.summary.fillna(''))], axis=1)


def encode(x, method):
    """Numbers for all columns, and which of them are codes of categories"""
    result, categories = [], []
    for name in x:
        column = x[name]
        if column.dtype != object:
            result.append(column.astype(numpy.float32).fillna(numpy.nan if method == 'boosting' else -999).rename(name))
            continue
        order = column.value_counts().index
        codes = column.map({value: place for place, value in enumerate(order)})
        if method == 'forest' and len(order) <= 50:
            result.append(pandas.get_dummies(column, prefix=name, dtype=numpy.float32))
        elif method == 'forest':
            result.append(codes.fillna(-1).astype(numpy.float32).rename(name))
        else:
            categories.append(name)
            result.append(codes.where(codes < 254).astype(numpy.float32).rename(name))
    return pandas.concat(result, axis=1), categories


def main():
    folder, table, column, method = sys.argv[1:]

    def read(name):
        # a number that names a row is a category, not a number
        keys = {'airline': str, 'source': str, 'destination': str, 'id': str}
        return pandas.read_csv(f'{folder}/{name}.csv', dtype=keys, keep_default_na=False, na_values=[''])

    rows, key, x = {'airport': airport, 'airline': airline, 'package': package}[table](read, column)
    x, categories = encode(x, 'forest' if method == 'doubt' else method)
    y = rows[column]
    known = y.notna()
    if method == 'doubt':
        known &= y.map(y.value_counts()) >= 5  # a value in each fold; of rarer ones nothing is known
        model = RandomForestClassifier(n_estimators=100, max_features=0.3, n_jobs=2, random_state=1)
        own = y[known].map({value: place for place, value in enumerate(sorted(y[known].unique()))}).values
        chance = cross_val_predict(model, x[known].values, y[known].values, method='predict_proba',
                                   cv=StratifiedKFold(5, shuffle=True, random_state=1))
        line = numpy.arange(len(own))
        stated = chance[line, own]
        chance[line, own] = 0
        for place, number in enumerate(numpy.argsort(stated - chance.max(axis=1), kind='stable')[:1000]):
            print('forest', rows.loc[known, key].values[number], place + 1, sep='\t')
        return
    if method == 'forest':
        model = RandomForestClassifier(n_estimators=100, max_features=0.3, n_jobs=2, random_state=1)
    else:
        # (classes of one row or two cost a tree each in every round, and are hardly ever right)
        known &= y.map(y.value_counts()) >= 3
        model = HistGradientBoostingClassifier(max_iter=100, early_stopping=False, l2_regularization=1,
                                               categorical_features=[x.columns.get_loc(name) for name in categories], random_state=1)
    model.fit(x[known].values, y[known].values)
    asked = y.isna().values
    chance = model.predict_proba(x[asked].values)
    best = chance.argmax(axis=1)
    for name, value, probability in zip(rows.loc[asked, key], model.classes_[best], chance.max(axis=1)):
        print(column, name, value, round(probability, 6), sep='\t')


main()
